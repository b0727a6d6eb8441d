// A process that evaluates `sst.config.ts` like a deployment, with mocks in place of AWS, and records all resources. It
// answers an `Evaluation` with a `Synth` for each request, up to the first that fails. Nothing leaves this machine.
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { WAIT_MS } from "../../settings.ts"
import { bundleConfig } from "./bundle.ts"
import { serveCli } from "./cli.ts"
import { plain, recordResources } from "./mocks.ts"
import type { Evaluation, Synth, SynthRequest } from "./synth.ts"

/** The parts of Pulumi that this process uses. Pulumi's types exist only if the platform is installed. */
interface Pulumi {
  runtime: {
    setMocks(mocks: unknown, project: string, stack: string, preview: boolean): void
    runInPulumiStack(program: () => Promise<unknown>): Promise<unknown>
  }
}

let finish: (error?: unknown) => void = () => {}

process.on("unhandledRejection", (error) => finish(error))
process.on("uncaughtException", (error) => finish(error))
// An evaluation ends when the event loop is empty, as in Pulumi's own host. A quiet moment may only be a slow build.
process.on("beforeExit", () => finish())

process.on("disconnect", () => process.exit())
process.on("message", async ({ requests, env }: Evaluation) => {
  const before = { ...process.env }
  Object.assign(process.env, env)
  // A referenced channel would keep the event loop from becoming empty.
  process.channel?.unref()
  const done = await evaluateAll(requests)
  process.channel?.ref()
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
  process.send?.(done)
})

async function evaluateAll(requests: SynthRequest[]): Promise<Synth[]> {
  const done: Synth[] = []
  for (const request of requests) {
    const synth = await evaluate(request)
    done.push(synth)
    if (synth.errors.length > 0) break
  }
  return done
}

/**
 * Evaluates a request. Requests run one after another: Pulumi's runtime has one set of mocks, and takes longer to load
 * than to run.
 */
async function evaluate(request: SynthRequest): Promise<Synth> {
  const platform = join(request.root, ".sst", "platform")
  const pulumi = createRequire(join(platform, "package.json"))("@pulumi/pulumi") as Pulumi
  const cli = await serveCli(request)
  const { app, runFile, dispose } = await bundleConfig(request)
  const { mocks, resources } = recordResources()
  Object.assign(process.env, cli.env)
  for (const [name, value] of Object.entries(request.secrets)) process.env[`SST_SECRET_${name}`] = value
  pulumi.runtime.setMocks(mocks, app.name, request.stage, false)

  const { default: program } = (await import(pathToFileURL(runFile).href)) as { default: () => Promise<unknown> }
  let outputs: unknown
  const errors = await new Promise<string[]>((resolve) => {
    const giveUp = setTimeout(() => finish("Something keeps the event loop alive."), WAIT_MS).unref()
    finish = (error) => {
      clearTimeout(giveUp)
      resolve(error === undefined ? [] : [textOf(error)])
    }
    pulumi.runtime.runInPulumiStack(program).then((value) => {
      outputs = plain(value) ?? {}
    }, finish)
  })
  if (outputs === undefined && errors.length === 0) errors.push("An output waits for a value that no mock gives.")
  cli.close()
  dispose()
  return { app, outputs, resources, builds: cli.builds, errors }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
