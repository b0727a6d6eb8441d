import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Half of a start is compiling. Modules are compiled before any of them runs, so all others are imported after this.
enableCompileCache(join(import.meta.dirname, "../../../node_modules/.cache/compiled"))

async function main(): Promise<void> {
  if (process.argv[2] !== "isolation") return (await import("./run.ts")).runRunner(process.env)
  const { readIsolation } = await import("./isolation.ts")
  console.log(JSON.stringify(await readIsolation(process.env)))
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
