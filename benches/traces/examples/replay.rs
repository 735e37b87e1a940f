//! A timer queue on BinaryHeap, which replays the trace on its standard input: rustc -O replay.rs,
//! then ./replay TICK_NS
use std::cmp::{max, Reverse};
use std::collections::{BinaryHeap, HashMap};

struct Timer {
    line: usize,
    turn: u64, // 0: it is not pending
}

/// To cancel or re-arm leaves an entry behind: one counts if its timer still has its turn.
#[derive(Default)]
struct TimerQueue {
    now: u64,
    turns: u64,
    timers: Vec<Timer>,
    entries: BinaryHeap<Reverse<(u64, u64, usize)>>, // deadline, turn and which timer; the least first
}

impl TimerQueue {
    fn insert(&mut self, line: usize, deadline: u64) -> usize {
        self.timers.push(Timer { line, turn: 0 });
        self.arm(self.timers.len() - 1, deadline);
        self.timers.len() - 1
    }

    /// Of equal deadlines, the one that was set first has the smaller turn, and expires first.
    fn arm(&mut self, timer: usize, deadline: u64) {
        self.turns += 1;
        self.timers[timer].turn = self.turns;
        self.entries.push(Reverse((max(deadline, self.now + 1), self.turns, timer)));
    }

    fn expire(&mut self, now: u64) {
        self.now = max(self.now, now);
        while let Some(&Reverse((deadline, turn, timer))) = self.entries.peek() {
            if deadline > self.now {
                break;
            }
            self.entries.pop();
            if self.timers[timer].turn == turn {
                self.timers[timer].turn = 0;
                println!("e {} {deadline} {}", self.timers[timer].line, self.now);
            }
        }
    }
}

fn main() {
    let tick: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let (mut queue, mut latest) = (TimerQueue::default(), 0);
    let mut timers = HashMap::<String, usize>::new(); // by id
    for (index, operation) in std::io::stdin().lines().map(Result::unwrap).enumerate() {
        if operation.starts_with('#') {
            continue;
        }
        let (line, fields) = (index + 1, operation.split(' ').collect::<Vec<_>>());
        let (time, verb, id) = (fields[0].parse::<u64>().unwrap(), fields[1], fields[2].to_string());
        let deadline = fields.get(3).map_or(0, |text| max(text.parse::<i64>().unwrap(), 0) as u64);
        let deadline = deadline.div_ceil(tick); // rounded up
        latest = max(latest, deadline);
        queue.expire(time / tick); // rounded down
        let pending = verb != "s" && queue.timers[timers[&id]].turn != 0;
        if verb == "r" || verb == "c" {
            println!("{verb} {line} {}", pending as u8);
        }
        match verb {
            "c" => queue.timers[timers[&id]].turn = 0,
            "r" if pending => queue.arm(timers[&id], deadline),
            "s" | "r" => drop(timers.insert(id, queue.insert(line, deadline))),
            _ => {}
        }
    }
    queue.expire(max(latest, queue.now + 1));
}
