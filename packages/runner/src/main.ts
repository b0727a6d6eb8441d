import { enableCompileCache } from "node:module"
import { join } from "node:path"
import type * as Isolation from "./isolation.ts"
import type * as Run from "./run.ts"

// Half of a start is compiling. Modules are compiled before any of them runs, so all others are imported after this.
enableCompileCache(join(import.meta.dirname, "../../../node_modules/.cache/compiled"))

async function main(): Promise<void> {
  const { builtOrSource } = await import("@switchyard/core/built-program")
  if (process.argv[2] !== "isolation") {
    const { runRunner }: typeof Run = await import(builtOrSource("runner", new URL("run.ts", import.meta.url)))
    return runRunner(process.env)
  }
  const isolation = builtOrSource("isolation", new URL("isolation.ts", import.meta.url))
  const { readIsolation }: typeof Isolation = await import(isolation)
  console.log(JSON.stringify(await readIsolation(process.env)))
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
