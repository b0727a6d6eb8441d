import { importProgram } from "@switchyard/core/import-program"

const source = new URL("run.ts", import.meta.url)
// With `--source`, import the source itself. `node --watch` then sees the source files and restarts the server when one
// of them changes.
const fromSource = process.argv.includes("--source")
const { explain, runServer } = await importProgram("server", source, { fromSource })

runServer(process.env).catch((error) => {
  console.error(explain(error))
  process.exit(1)
})
