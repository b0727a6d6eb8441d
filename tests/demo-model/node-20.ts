import { delimiter, join } from "node:path"
import { run } from "./make-project.ts"

export const NO_NODE_20 = "there is no Node 20 beside this one; set NODE_20 to its path"

/**
 * Resolves to the path of Node 20, the oldest version that the demo's JavaScript supports: `NODE_20`, or the first
 * program of that version in the system's folders and `PATH`. Undefined if there is none.
 */
export async function findNode20(): Promise<string | undefined> {
  const folders = ["/usr/local/bin", "/usr/bin", ...(process.env.PATH ?? "").split(delimiter)]
  for (const program of [process.env.NODE_20 ?? "", ...folders.map((folder) => join(folder, "node"))]) {
    if (program !== "" && /^v20\./.test((await run(program, ["--version"])).output)) return program
  }
  return undefined
}
