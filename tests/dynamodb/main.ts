import { startVitest } from "vitest/node"
import { LIMIT_MS } from "../settings.ts"
import { dynamoLocal, startDynamoLocal } from "./local.ts"

/** Limit for downloads and for Java's start in a check before each landing. */
const PATIENCE_MS = 40_000

process.exit(await main(process.argv.slice(2)))

/**
 * Tests the records' contract on Amazon's own emulator as well as on npm's: `npm run test:dynamodb -- [--if-possible]`.
 */
async function main(args: string[]): Promise<number> {
  const missingIsFine = args.includes("--if-possible")
  const options = { limitMs: missingIsFine ? PATIENCE_MS : LIMIT_MS }
  const place = await dynamoLocal(options)
  const server = place instanceof Error ? place : await startDynamoLocal(place, options).catch((error: Error) => error)
  if (server instanceof Error) {
    console.log(`not tried: the records on DynamoDB Local; ${server.message}`)
    return missingIsFine ? 0 : 1
  }
  try {
    return (await passes(server.endpoint)) ? 0 : 1
  } finally {
    await server.stop()
  }
}

async function passes(dynamoEndpoint: string): Promise<boolean> {
  const vitest = await startVitest("test", [], {
    config: false,
    watch: false,
    include: ["tests/dynamodb/records.ts"],
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    provide: { dynamoEndpoint },
  })
  const modules = vitest.state.getTestModules()
  await vitest.close()
  return modules.length > 0 && modules.every((module) => module.ok())
}
