import { startVitest } from "vitest/node"
import { LIMIT_MS } from "../settings.ts"
import { type Emulator, startLocalStack, startMiniStack, startMoto } from "./servers.ts"

/** Limit for downloads in a check before a release. */
const PATIENCE_MS = 120_000

/** Moto has neither account quotas nor open sockets. Of LocalStack's services, only Lambda runs without a container. */
const EMULATORS = [
  {
    name: "Moto",
    start: startMoto,
    suites: "{blobs,clock,functions,place,restore,retire,rollback,secret-lock,tasks,session-role}",
  },
  {
    name: "MiniStack",
    start: startMiniStack,
    suites:
      "{blobs,clock,functions,place,quota,records,restore,retire,rollback,secret-lock,sockets,tasks,session-role}",
  },
  { name: "LocalStack", start: startLocalStack, suites: "quota" },
] as const

process.exit(await main(process.argv.slice(2)))

/** Tests the AWS adapters on emulators that npm doesn't have: `npm run test:aws -- [--if-possible]`. */
async function main(args: string[]): Promise<number> {
  const missingIsFine = args.includes("--if-possible")
  let status = 0
  for (const { name, start, suites } of EMULATORS) {
    const server = await start({ limitMs: missingIsFine ? PATIENCE_MS : LIMIT_MS })
    if (server instanceof Error) {
      console.log(`not tried: the AWS adapters on ${name}; ${server.message}`)
      if (!missingIsFine) status = 1
      continue
    }
    try {
      if (!(await passes({ name, endpoint: server.endpoint }, suites))) status = 1
    } finally {
      await server.stop()
    }
  }
  return status
}

async function passes(emulator: Emulator, suites: string): Promise<boolean> {
  const vitest = await startVitest("test", [], {
    config: false,
    watch: false,
    include: [`tests/aws/${suites}.ts`],
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    provide: { emulator },
  })
  const modules = vitest.state.getTestModules()
  await vitest.close()
  return modules.length > 0 && modules.every((module) => module.ok())
}
