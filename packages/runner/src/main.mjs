import { importProgram } from "@switchyard/core/import-program"

async function main() {
  if (process.argv[2] !== "isolation") {
    const { runRunner } = await importProgram("runner", new URL("run.ts", import.meta.url))
    return runRunner(process.env)
  }
  const { readIsolation } = await importProgram("isolation", new URL("isolation.ts", import.meta.url))
  console.log(JSON.stringify(await readIsolation(process.env)))
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
