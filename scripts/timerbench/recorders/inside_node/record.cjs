// Every Node process that scripts/record.py node runs loads this file, which records the timers of
// JavaScript.
//
// Each timer is a Timeout; so are the timers that Node makes for its sockets. Hooks of Node tell when a
// timer is made, when its callback begins and ends, and when it is gone.
'use strict';

const {createHook} = require('node:async_hooks');
const fs = require('node:fs');
const path = require('node:path');
const timers = require('node:timers');
const {isMainThread, threadId} = require('node:worker_threads');

const FULL = '# so many lines were enough: what came later is not recorded (--most)\n';

// Writes plain lines about the timers of this thread. Each line is written at once, so that no line is
// lost when Node is killed.
class Lines {
  constructor(folder, most) {
    this.path = path.join(folder, isMainThread ? `${process.pid}` : `${process.pid}-${threadId}`);
    this.left = most;
  }

  // Makes a file for this process, which may have run another program before.
  make() {
    for (let program = 1;; ++program) {
      try {
        return fs.openSync(`${this.path}${program === 1 ? '' : `-${program}`}.lines`, 'wx');
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
    }
  }

  write(what, timer, delay) {
    if (this.left === 0) return;
    const now = process.hrtime.bigint();
    const deadline = delay === undefined ? '' : ` ${now + BigInt(Math.round(delay * 1e6))}`;
    this.left -= 1;
    const line = this.left === 0 ? FULL : `${now} ${what} ${timer}${deadline}\n`;
    try {
      this.file ??= this.make();
      fs.writeSync(this.file, line);
    } catch (error) {
      this.left = 0;
      console.error(`record.py: process ${process.pid} is not recorded: ${error.message}`);
    }
  }
}

function watch(lines) {
  const waiting = new Map();  // the timers that wait, by their numbers
  const numbers = new WeakMap();

  const set = (number, timer) => {
    waiting.set(number, timer);
    lines.write('set', number, timer._idleTimeout);
  };
  const end = (number, what) => {
    if (waiting.delete(number)) lines.write(what, number);
  };

  let Timeout;
  const watchClass = (timer) => {
    Timeout = Object.getPrototypeOf(timer);
    const refresh = Timeout.refresh;
    Timeout.refresh = function() {
      const number = numbers.get(this);
      const result = refresh.call(this);
      // A timer that had ended has a new number, and `init` knows. A timer that was cleared stays so.
      if (number !== undefined && number === numbers.get(this) && !this._destroyed) set(number, this);
      return result;
    };
  };

  const called = new Map();
  createHook({
    init(number, type, _, timer) {
      if (type !== 'Timeout') return;
      if (!Timeout) watchClass(timer);
      numbers.set(timer, number);
      set(number, timer);
    },
    before(number) {
      const timer = waiting.get(number);
      if (!timer) return;
      called.set(number, timer);
      end(number, 'expire');
    },
    after(number) {
      const timer = called.get(number);
      if (!timer) return;
      called.delete(number);
      if (timer._repeat !== null && !timer._destroyed) set(number, timer);
    },
    destroy(number) {
      end(number, 'cancel');
    },
  }).enable();

  // The hook `destroy` is called only some time after a timer is gone. So the functions that clear
  // timers are replaced: they tell at once.
  for (const name of ['clearTimeout', 'clearInterval']) {
    const clear = timers[name];
    const watched = (timer) => {
      const known = typeof timer === 'object' && timer ? timer : called.get(Number(timer)) ?? waiting.get(Number(timer));
      if (known && numbers.has(known)) end(numbers.get(known), 'cancel');
      clear(timer);
    };
    if (globalThis[name] === clear) globalThis[name] = watched;
    timers[name] = watched;
  }
}

const {TIMERBENCH_RECORD_FOLDER: folder, TIMERBENCH_RECORD_MOST: most} = process.env;
if (folder && most) watch(new Lines(folder, Number(most)));
