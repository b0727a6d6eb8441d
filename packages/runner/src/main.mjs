import { importProgram } from "@switchyard/core/import-program"

async function main() {
  const [task, ...given] = process.argv.slice(2)
  if (task === "isolation") {
    const { readIsolation } = await importProgram("isolation", new URL("isolation.ts", import.meta.url))
    console.log(JSON.stringify(await readIsolation(process.env)))
    return
  }
  if (task === "retire") {
    const { retireSession } = await importProgram("retire", new URL("retire.ts", import.meta.url))
    const [dataFolder, sid, keptForMs] = given
    return retireSession(process.env, { dataFolder, sid, keptForMs: Number(keptForMs) })
  }
  const { runRunner } = await importProgram("runner", new URL("run.ts", import.meta.url))
  return runRunner(process.env)
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
