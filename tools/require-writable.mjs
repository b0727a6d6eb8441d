// Runs on Node 20 with nothing installed.
import { accessSync, constants } from "node:fs"

/** Ends the process if a folder can't be written to, before tools that write there fail in words of their own. */
export function requireWritable(folder, what) {
  try {
    accessSync(folder, constants.W_OK)
  } catch ({ code }) {
    console.error(`${what} must be written to ${folder}, which this user can't write to (${code}).`)
    console.error("Run npm start once in a folder that can be written to. A built one can be read-only.")
    process.exit(1)
  }
}
