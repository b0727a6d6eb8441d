import { importProgram } from "@switchyard/core/import-program"

const source = new URL("run.ts", import.meta.url)
// With `--source`, import the source itself, so that `node --watch` sees its files and restarts the server when one
// changes.
const { explain, runServer } = await (process.argv.includes("--source")
  ? import(source.href)
  : importProgram("server", source))

runServer(process.env).catch((error) => {
  console.error(explain(error))
  process.exit(1)
})
