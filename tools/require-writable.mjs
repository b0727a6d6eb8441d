// Runs on Node 20 with nothing installed.
import { accessSync, constants } from "node:fs"

/** Exits if a folder isn't writable, with a clearer message than that of the tools that write there. */
export function requireWritable(folder, what) {
  try {
    accessSync(folder, constants.W_OK)
  } catch ({ code }) {
    console.error(`${what} must be written to ${folder}, but this user can't write there (${code}).`)
    console.error("Run npm start once in a writable folder. A built checkout can be read-only.")
    process.exit(1)
  }
}
