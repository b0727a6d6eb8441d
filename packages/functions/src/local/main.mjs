import { importProgram } from "@switchyard/core/import-program"

const source = new URL("run.ts", import.meta.url)
// `node --watch` restarts a server when a file changes that it has imported.
const { explain, runServer } = await (process.argv.includes("--source")
  ? import(source.href)
  : importProgram("server", source))

runServer(process.env).catch((error) => {
  console.error(explain(error))
  process.exit(1)
})
