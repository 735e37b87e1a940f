/// Runs a program whose threads have another timer slack, i.e. the time by which the kernel may put
/// off their wake-ups to group them. Slack is inherited, also through exec. A Java program cannot
/// set it itself.
///
///     with_timer_slack NANOSECONDS PROGRAM [ARGUMENT...]

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: with_timer_slack NANOSECONDS PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  char* end = nullptr;
  const unsigned long slack = std::strtoul(argv[1], &end, 10);
  if (*end != '\0' || slack == 0 || prctl(PR_SET_TIMERSLACK, slack) != 0) {
    std::fprintf(stderr, "with_timer_slack: '%s' is no slack; give nanoseconds from 1 on\n",
                 argv[1]);
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // Nobody else would end the child when its bench is ended.
  execvp(argv[2], argv + 2);
  std::perror(argv[2]);
  return 127;
}
