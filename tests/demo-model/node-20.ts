import { delimiter, join } from "node:path"
import { run } from "./make-project.ts"

export const NO_NODE_20 = "there is no Node 20 beside this one; set NODE_20 to its path"

/**
 * The program of a Node 20, which is what the demo's JavaScript promises to need: NODE_20, or the first one that the
 * machine's own folders have, whose version is that.
 */
export async function findNode20(): Promise<string | undefined> {
  const folders = ["/usr/local/bin", "/usr/bin", ...(process.env.PATH ?? "").split(delimiter)]
  for (const program of [process.env.NODE_20 ?? "", ...folders.map((folder) => join(folder, "node"))]) {
    if (program !== "" && /^v20\./.test((await run(program, ["--version"])).output)) return program
  }
  return undefined
}
