import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Half of a start is compiling. Modules are compiled before any of them runs, so all others are imported after this.
enableCompileCache(join(import.meta.dirname, "../../../node_modules/.cache/compiled"))
const { runRunner } = await import("./run.ts")

runRunner(process.env).then(
  () => process.exit(0),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
