import { startCloud } from "./cloud.ts"
import { startModel } from "./model.ts"
import { runtimeClient } from "./runtime-client.ts"
import { scenarios } from "./scenarios.ts"

/** Plays the installation through: `npm run rehearse [-- --if-possible] [word of a scenario …]`. */
async function main(args: string[]): Promise<number> {
  const words = args.filter((arg) => !arg.startsWith("--"))
  const client = await runtimeClient().catch((error: Error) => error.message)
  if (!client.endsWith(".mjs")) {
    console.log(client)
    console.log("The rehearsal needs AWS's runtime client, so nothing was rehearsed.")
    return args.includes("--if-possible") ? 0 : 1
  }
  const model = await startModel()
  const cloud = await startCloud({ client, modelUrl: model.url })
  let passed = 0
  let failed = 0
  try {
    for (const [name, play] of Object.entries(scenarios)) {
      if (words.length > 0 && !words.some((word) => name.includes(word))) continue
      const began = performance.now()
      const failure = await play({ cloud, model }).catch((error: unknown) => error ?? "no reason")
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      console.log(`${failure ? "FAILED" : "ok    "} ${name} (${seconds} s)`)
      if (failure) {
        failed++
        console.log(failure)
      } else passed++
    }
    if (failed > 0) console.log(`What the functions printed last:\n${cloud.printed().slice(-6000)}`)
  } finally {
    await cloud.stop()
    await model.close()
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed > 0 || passed === 0 ? 1 : 0
}

process.exitCode = await main(process.argv.slice(2))
