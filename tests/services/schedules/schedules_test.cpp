/// What must hold for every service, in whatever order its threads make their steps. The program
/// runs on all services with which it is linked.

#include <gtest/gtest.h>

#include "tests/conformance/basic_sentence.hpp"
#include "tests/services/schedules/explored_services.hpp"
#include "tests/services/schedules/meeting.hpp"

namespace timers::schedules {
namespace {

/// For sentences about re-arms: skips services that cannot re-arm.
void live_rearming(const ExploredKind& kind, void (*body)(Meeting&)) {
  if (!kind.can_rearm) throw conformance::Skip{"it cannot re-arm"};
  Meeting::live(kind, body);
}

// C-01, C-02, C-03, C-04
const Sentence cancel_and_start("HasOneWinnerOfCancelAndStart", [](Meeting& meeting) {
  const auto timer = meeting.schedule(kSoon);
  meeting.meet({{"canceller", [&] { meeting.cancel(timer); }},  //
                {"time", [&] { meeting.pass(kSoon); }}});
});

// C-01, C-02
const Sentence two_cancels("HasOneWinnerOfTwoCancels", [](Meeting& meeting) {
  const auto timer = meeting.schedule(kFar);
  meeting.meet(
      {{"canceller", [&] { meeting.cancel(timer); }}, {"another", [&] { meeting.cancel(timer); }}});
});

// C-07, C-09
const Sentence earlier_timer("WakesForAnEarlierTimerAsItGoesToSleep", [](Meeting& meeting) {
  meeting.meet({{"producer", [&] {
                   meeting.schedule(kFar);
                   meeting.schedule(kSoon);
                 }}});
});

// C-07, C-12
const Sentence two_producers("LosesNothingOfTwoProducers", [](Meeting& meeting) {
  meeting.meet({{"producer", [&] { meeting.schedule(kFar); }},
                {"another", [&] { meeting.schedule(kSoon); }}});
});

// C-18, C-19
const Sentence schedule_and_stop("RefusesOrReturnsATimerThatMeetsAStop", [](Meeting& meeting) {
  meeting.schedule(kFar);
  meeting.meet({{"producer", [&] { meeting.schedule(kSoon); }},  //
                {"stopper", [&] { meeting.stop(); }}});
});

// C-19, C-20, C-21
const Sentence two_stops("IsStoppedByTwoThreads", [](Meeting& meeting) {
  meeting.schedule(kSoon);
  meeting.schedule(kFar);
  meeting.meet({{"stopper", [&] { meeting.stop(); }},  //
                {"another", [&] { meeting.stop(); }}});
});

// C-19, C-23
const Sentence cancel_and_stop("HasOneWinnerOfCancelAndStop", [](Meeting& meeting) {
  const auto timer = meeting.schedule(kSoon);
  meeting.meet({{"canceller", [&] { meeting.cancel(timer); }},  //
                {"stopper", [&] { meeting.stop(); }}});
});

// C-21, C-22
const Sentence running_task("WaitsForItsTaskInEachOfTwoStops", [](Meeting& meeting) {
  meeting.schedule(kSoon, [&meeting] { meeting.wait_for_the_others(); });
  meeting.pass(kSoon);
  meeting.meet({{"stopper", [&] { meeting.stop(); }},  //
                {"another", [&] { meeting.stop(); }}});
});

// C-19, C-20, C-22
const Sentence start_and_stop("HasOneWinnerOfStartAndStop", [](Meeting& meeting) {
  meeting.schedule(kSoon, [&meeting] { meeting.look_at_time(); });
  meeting.meet({{"time", [&] { meeting.pass(kSoon); }},  //
                {"stopper", [&] { meeting.stop(); }}});
});

// C-20, C-29
const Sentence made_and_destroyed("MayBeDestroyedAsSoonAsItIsMade", [](Meeting& meeting) {
  meeting.meet({{"owner", [&] {
                   meeting.make();
                   meeting.schedule(kSoon);
                   meeting.destroy();
                 }}});
});

// C-01, C-13
const Sentence busy_task("HasATaskThatSchedulesAndCancels", [](Meeting& meeting) {
  const auto other = meeting.schedule(kFar);
  meeting.schedule(kSoon, [&meeting, other] {
    meeting.schedule(kSoon);
    meeting.cancel(other);
  });
  meeting.meet({{"time", [&] { meeting.pass(kSoon); }},  //
                {"canceller", [&] { meeting.cancel(other); }}});
});

// If a re-arm was accepted, the task must not run before its new deadline.
const Sentence rearm_and_start("HasOneWinnerOfRearmAndStart", [](const ExploredKind& kind) {
  live_rearming(kind, [](Meeting& meeting) {
    const auto timer = meeting.schedule(kSoon);
    meeting.meet(
        {{"owner", [&] { meeting.rearm(timer, kLater); }}, {"time", [&] { meeting.pass(kSoon); }}});
  });
});

// C-01
const Sentence rearm_and_cancel("CancelsATimerThatComesNearer", [](const ExploredKind& kind) {
  live_rearming(kind, [](Meeting& meeting) {
    const auto timer = meeting.schedule(kFar);
    meeting.meet({{"owner", [&] { meeting.rearm(timer, kSoon); }},
                  {"canceller", [&] { meeting.cancel(timer); }}});
  });
});

// C-07
const Sentence nearer("WakesForATimerThatComesNearerAsItGoesToSleep", [](const ExploredKind& kind) {
  live_rearming(kind, [](Meeting& meeting) {
    meeting.meet({{"owner", [&] {
                     const auto timer = meeting.schedule(kFar);
                     meeting.rearm(timer, kSoon);
                   }}});
  });
});

// C-07
const Sentence nearer_on_its_way("WakesForATimerThatComesNearerOnItsWay",
                                 [](const ExploredKind& kind) {
                                   live_rearming(kind, [](Meeting& meeting) {
                                     meeting.schedule(kFar);
                                     meeting.meet({{"owner", [&] {
                                                      const auto timer =
                                                          meeting.schedule(kFar);  // wakes nobody
                                                      meeting.rearm(timer, kSoon);
                                                    }}});
                                   });
                                 });

// C-07
const Sentence two_rearms("LosesNoDeadlineOfTwoRearms", [](const ExploredKind& kind) {
  live_rearming(kind, [](Meeting& meeting) {
    const auto timer = meeting.schedule(kFar);
    meeting.meet({{"owner", [&] { meeting.rearm(timer, kSoon); }},
                  {"another", [&] { meeting.rearm(timer, kLater); }}});
  });
});

// C-19
const Sentence rearm_and_stop("ReturnsATimerThatComesNearerAtAStop", [](const ExploredKind& kind) {
  live_rearming(kind, [](Meeting& meeting) {
    const auto timer = meeting.schedule(kFar);
    meeting.meet(
        {{"owner", [&] { meeting.rearm(timer, kSoon); }}, {"stopper", [&] { meeting.stop(); }}});
  });
});

}  // namespace
}  // namespace timers::schedules

int main(int argc, char** argv) {
  using namespace timers::schedules;
  testing::InitGoogleTest(&argc, argv);
  for (const ExploredKind& kind : explored_services()) {
    Sentence::register_all("schedules/" + kind.name, kind);
  }
  return RUN_ALL_TESTS();
}
