import { importProgram } from "@switchyard/core/import-program"

const source = new URL("run.ts", import.meta.url)
// `node --watch` restarts a server when a file that it has imported changes.
const { explain, runServer } = await (process.argv.includes("--source")
  ? import(source.href)
  : importProgram("server", source))

runServer(process.env).catch((error) => {
  console.error(explain(error))
  process.exit(1)
})
