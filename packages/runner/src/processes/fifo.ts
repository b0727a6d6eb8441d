import { execFile } from "node:child_process"
import { constants, openSync } from "node:fs"
import { chmod, chown, mkdtemp, open, rm } from "node:fs/promises"
import { Socket } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"

/**
 * Named pipes for a program's stdin and stdout. They are necessary because the program's terminal is reserved for
 * people.
 */
export interface Fifos {
  /** Paths that the program opens. After opening them, the program writes one byte, which isn't passed on. */
  paths: { input: string; output: string }
  /** Writes the text after all earlier texts. Does nothing if the program has exited. */
  write(text: string): void
  /** Ends the program's input once everything has been written. */
  end(): void
  output: AsyncIterable<Uint8Array>
  /** Allows one other user to open the pipes. This user also needs access to the parent folders. */
  give(user: { uid: number; gid: number }): Promise<void>
  /** Removes the pipes from the file system and closes the input. The remaining output can still be read. */
  remove(): Promise<void>
}

/**
 * Opens both pipes without blocking, before the program opens them. A blocking open would occupy one of Node's four
 * file system threads forever if the program died early.
 */
export async function openFifos(folder: string): Promise<Fifos> {
  const own = await mkdtemp(join(folder, "pipes-"))
  const paths = { input: join(own, "in"), output: join(own, "out") }
  await promisify(execFile)("mkfifo", ["-m", "600", paths.input, paths.output])
  // Open the pipe for reading too, because a pipe without a reader can't be opened for writing. Closing it still ends
  // the program's input.
  const writing = openSync(paths.input, constants.O_RDWR | constants.O_NONBLOCK)
  // On Linux, a reader sees the end of the file only after a writer has opened and closed the pipe.
  const reading = openSync(paths.output, constants.O_RDONLY | constants.O_NONBLOCK)
  const input = new Socket({ fd: writing, readable: false, writable: true })
  const output = new Socket({ fd: reading, readable: true, writable: false })
  input.on("error", () => {})
  // Don't close a pipe before the program has opened it: the pipe's content would be lost, and the program would block
  // forever.
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
      // The runner remains the owner of the folder, so that no other user can replace the pipes.
      await chmod(own, 0o711)
    },
    async remove() {
      input.destroy()
      // If the program has died without opening its end, the reader would wait forever. Opening and closing the end
      // here prevents that.
      await open(paths.output, constants.O_WRONLY | constants.O_NONBLOCK).then((end) => end.close(), hasNoReader)
      await rm(own, { recursive: true, force: true })
    },
  }
}

function hasNoReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENXIO") throw error
}
