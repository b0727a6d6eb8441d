import { writeSync } from "node:fs"
import { backoffMs } from "@switchyard/core/concurrency/retry"
import type { Clock } from "@switchyard/core/time"

/** Input to a program's terminal, in typing order. */
export interface PtyInput {
  write(bytes: Uint8Array): void
}

/**
 * Writes to the non-blocking master side of a terminal, and never waits for the program. node-pty's own write blocks:
 * once the kernel's 4 KB buffer is full, a busy or stopped program would block the whole runner. `isClosed` is checked
 * immediately before each write, because the number of a closed descriptor may be reused.
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

/**
 * Writes as many bytes as fit, and returns their number. If the terminal is closed, returns the number of all bytes.
 */
function writeSome(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EAGAIN" ? 0 : bytes.length
  }
}
