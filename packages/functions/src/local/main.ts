import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Half of a start is the compiling. Modules are compiled before any of them runs, so all others are imported after.
enableCompileCache(join(import.meta.dirname, "../../../../node_modules/.cache/compiled"))
const { builtOrSource } = await import("@switchyard/core/built-program")
const source = new URL("run.ts", import.meta.url)
// `node --watch` restarts a server when a file changes that it has imported.
const program = process.argv.includes("--source") ? source.href : builtOrSource("server", source)
const { explain, runServer }: typeof import("./run.ts") = await import(program)

runServer(process.env).catch((error: unknown) => {
  console.error(explain(error))
  process.exit(1)
})
