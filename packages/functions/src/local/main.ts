import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Half of a start is the compiling. Modules are compiled before any of them runs, so all but this one are imported after.
enableCompileCache(join(import.meta.dirname, "../../../../node_modules/.cache/compiled"))
const { explain, runServer } = await import("./run.ts")

runServer(process.env).catch((error: unknown) => {
  console.error(explain(error))
  process.exit(1)
})
