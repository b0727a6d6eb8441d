import { startVitest } from "vitest/node"
import { LIMIT_MS } from "../settings.ts"
import { startMoto } from "./server.ts"

/** The limit for downloads in a check before a release. */
const PATIENCE_MS = 120_000

process.exit(await main(process.argv.slice(2)))

/** The AWS adapters on Moto, beside the emulators that npm has: `npm run test:moto -- [--if-possible]`. */
async function main(args: string[]): Promise<number> {
  const missingIsFine = args.includes("--if-possible")
  const server = await startMoto({ limitMs: missingIsFine ? PATIENCE_MS : LIMIT_MS })
  if (server instanceof Error) {
    console.log(`not tried: the AWS adapters on Moto; ${server.message}`)
    return missingIsFine ? 0 : 1
  }
  try {
    return (await passes(server.endpoint)) ? 0 : 1
  } finally {
    await server.stop()
  }
}

async function passes(motoEndpoint: string): Promise<boolean> {
  const vitest = await startVitest("test", [], {
    config: false,
    watch: false,
    include: ["tests/moto/{blobs,clock,functions,restore,retire,tasks,session-role}.ts"],
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    provide: { motoEndpoint },
  })
  const modules = vitest.state.getTestModules()
  await vitest.close()
  return modules.length > 0 && modules.every((module) => module.ok())
}
