/// Threads use the inbox of a service. In all executions that the memory model allows, each letter
/// is taken once. And if an inbox has a fault, the search finds it.

#include "impls/services/parts/inbox.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#include "tests/services/explorer/expect_explored.hpp"
#include "tests/services/explorer/explorer.hpp"
#include "tests/services/explorer/programs/inbox.hpp"

namespace timers {
namespace {

using namespace programs;  // NOLINT(google-build-using-namespace): the tests are about these

// C-12, C-13, C-18
TEST(InboxInterleavings, LoseNothingOfTwoProducers) { expect_no_fault<TwoProducers<Inbox>>(); }
TEST(InboxInterleavings, LoseNothingToAReader) { expect_no_fault<ProducerAndReader<Inbox>>(); }
TEST(InboxInterleavings, LoseNothingToAClose) { expect_no_fault<ProducerAndCloser<Inbox>>(); }
TEST(InboxInterleavings, GiveEachLetterToOneCloser) { expect_no_fault<TwoClosers<Inbox>>(); }
TEST(InboxInterleavings, LeaveAnInboxClosed) { expect_no_fault<ReaderAndCloser<Inbox>>(); }
TEST(InboxInterleavings, TellWhoeverIsRefusedWhatTheCloserDid) {
  expect_no_fault<RefusedByCloser<Inbox>>();
}

enum class InboxFault { pushes_in_two_steps, takes_in_two_steps, closes_in_two_steps, links_late };

/// An inbox with one fault, on a list of nodes without a count.
template <InboxFault kFault>
struct Faulty {
  template <class Node, template <class> class Atomic>
  class Inbox {
   public:
    std::size_t push(Node* node) {
      if (closed_.load()) return 0;
      Node* seen = last_.load();
      if (kFault == InboxFault::links_late) {
        while (!last_.compare_exchange_strong(seen, node)) {
        }
        node->next_in_inbox = seen;
      } else if (kFault == InboxFault::pushes_in_two_steps) {
        node->next_in_inbox = seen;
        last_.store(node);
      } else {
        do {
          node->next_in_inbox = seen;
        } while (!last_.compare_exchange_strong(seen, node));
      }
      return 1;
    }

    Node* take_all() {
      Node* last = nullptr;
      if (kFault == InboxFault::takes_in_two_steps) {
        last = last_.load();
        last_.store(nullptr);
      } else {
        last = last_.exchange(nullptr);
      }
      Node* first = nullptr;
      while (last != nullptr) {
        Node* const before = last->next_in_inbox;
        last->next_in_inbox = first;
        first = last;
        last = before;
      }
      return first;
    }

    Node* close() {
      Node* const all = take_all();
      closed_.store(true);
      return all;
    }

   private:
    Atomic<Node*> last_ = nullptr;
    Atomic<bool> closed_ = false;
  };
};

TEST(InboxInterleavings, LoseLettersThatArePushedInTwoSteps) {
  expect_fault<TwoProducers<Faulty<InboxFault::pushes_in_two_steps>::Inbox>>();
}
TEST(InboxInterleavings, LoseLettersThatAreTakenInTwoSteps) {
  expect_fault<ProducerAndReader<Faulty<InboxFault::takes_in_two_steps>::Inbox>>();
}
TEST(InboxInterleavings, LoseLettersToACloseInTwoSteps) {
  expect_fault<ProducerAndCloser<Faulty<InboxFault::closes_in_two_steps>::Inbox>>();
}
TEST(InboxInterleavings, LoseLettersThatAreLinkedAfterTheyAreSeen) {
  expect_fault<ProducerAndReader<Faulty<InboxFault::links_late>::Inbox>>();
}

}  // namespace
}  // namespace timers
