import { execFile } from "node:child_process"
import { constants, openSync } from "node:fs"
import { chmod, chown, mkdtemp, rm } from "node:fs/promises"
import { Socket } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"

/** Two named pipes to a program whose terminal is for people: its standard input and its standard output. */
export interface Fifos {
  /** What the program opens; then it writes one byte, which is not passed on. */
  paths: { input: string; output: string }
  /** Written in order; a program that is gone hears nothing, and nobody is told of that here. */
  write(text: string): void
  /** Ends the program's input, once it has it. */
  end(): void
  output: AsyncIterable<Uint8Array>
  /** Lets another user open them, and nobody else; the folder that they are in must let them pass. */
  give(user: { uid: number; gid: number }): Promise<void>
  /** Takes the names away and lets go of the input; the output is read to its end. */
  remove(): Promise<void>
}

/**
 * Opened here before the program opens them, and without blocking: a thread that waited for a program which died early
 * would wait for ever, and there are only four.
 */
export async function openFifos(folder: string): Promise<Fifos> {
  const own = await mkdtemp(join(folder, "pipes-"))
  const paths = { input: join(own, "in"), output: join(own, "out") }
  await promisify(execFile)("mkfifo", ["-m", "600", paths.input, paths.output])
  // Both ends at once, for a pipe without a reader can't be opened for writing; closing it is still the end of input.
  const writing = openSync(paths.input, constants.O_RDWR | constants.O_NONBLOCK)
  // Linux tells a reader of the end only after a writer has come and gone.
  const reading = openSync(paths.output, constants.O_RDONLY | constants.O_NONBLOCK)
  const input = new Socket({ fd: writing, readable: false, writable: true })
  const output = new Socket({ fd: reading, readable: true, writable: false })
  input.on("error", () => {})
  // Who lets go of a pipe before the other end has it takes along what is in it, and the other end waits for ever.
  const opened = new Promise<void>((resolve) => {
    output.once("readable", () => {
      output.read(1)
      resolve()
    })
  })
  return {
    paths,
    output,
    write(text) {
      if (input.writable) input.write(text)
    },
    end: () => void opened.then(() => input.end()),
    async give({ uid, gid }) {
      for (const path of [paths.input, paths.output]) await chown(path, uid, gid)
      // The names stay ours, so that nothing else can be put in their place.
      await chmod(own, 0o711)
    },
    async remove() {
      input.destroy()
      await rm(own, { recursive: true, force: true })
    },
  }
}
