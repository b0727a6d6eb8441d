import { writeSync } from "node:fs"
import { backoffMs } from "@switchyard/core/retry"
import type { Clock } from "@switchyard/core/time"

/** The input of one program's terminal, in the order in which it was typed. */
export interface PtyInput {
  write(bytes: Uint8Array): void
}

/**
 * Writes to the master side of a terminal, which doesn't block, and never waits for the program. node-pty's own write does:
 * a program that reads nothing, because it is busy or stopped, would hold up the whole runner as soon as the kernel's buffer
 * of 4 KB is full. `isClosed` is asked right before each write, for the number of a closed file may be another's by then.
 */
export function createPtyInput({ clock }: { clock: Clock }, fd: number, isClosed: () => boolean): PtyInput {
  let waiting: Uint8Array[] = []
  let draining = false

  async function drain(): Promise<void> {
    draining = true
    for (let refused = 0; !isClosed(); ) {
      const [first, ...rest] = waiting
      if (!first) break
      const written = writeSome(fd, first)
      waiting = written < first.length ? [first.subarray(written), ...rest] : rest
      refused = written > 0 ? 0 : refused + 1
      if (refused > 0) await clock.sleep(backoffMs(refused - 1, 1, 50), {})
    }
    waiting = []
    draining = false
  }

  return {
    write(bytes) {
      waiting.push(bytes)
      if (!draining) void drain()
    },
  }
}

/** Writes as many bytes as there is room for, and returns their number; all of them, if the terminal is closed. */
function writeSome(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EAGAIN" ? 0 : bytes.length
  }
}
