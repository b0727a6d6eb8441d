import { fork } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { COMPILED } from "../../settings.ts"
import type { Bundling } from "../bundle-function.ts"

/** Another text in the place of one in a source file, to see what would be found if it stood there. */
export interface Edit {
  file: string
  from: string
  to: string
}

export interface SynthRequest {
  root: string
  stage: string
  secrets: Record<string, string>
  edits: Edit[]
  /** Whether functions are bundled: it takes most of the time. */
  bundle: boolean
}

export interface Resource {
  type: string
  name: string
  custom: boolean
  // biome-ignore lint/suspicious/noExplicitAny: as many shapes as AWS has resources
  inputs: any
}

export interface Build {
  handler: string
  /** What a cold start reads, and everything. */
  coldBytes: number
  totalBytes: number
  /** Every package whose code is in it. */
  packages: string[]
  /** How it is bundled. */
  told: Bundling
}

/** What a deployment would have made. */
export interface Synth {
  app: { name: string; stage: string; protect: boolean; removal: string; home: string }
  outputs: unknown
  resources: Resource[]
  builds: Record<string, Build>
  errors: string[]
}

export const root = join(import.meta.dirname, "..", "..", "..")

/** Why nothing can be evaluated here, if it can't. */
export const missing = existsSync(join(root, ".sst/platform/node_modules/@pulumi/pulumi"))
  ? undefined
  : "the SST platform is not installed; node tools/install-platform.mjs"

/** Known in advance, so that a test can look for them where they must not be. */
export const SECRETS = {
  MasterKey: Buffer.alloc(32, 1).toString("base64"),
  AdminToken: "admin-token-admin-token-admin-token",
  OriginSecret: "origin-secret-origin-secret-origin",
  GroqApiKey: "gsk_groq-key",
  AnthropicApiKey: "sk-ant-api03-anthropic-key",
  OpenaiApiKey: "sk-proj-openai-key",
  LocalApiKey: "key-of-a-gateway",
  BraveApiKey: "key-for-brave",
  SerperApiKey: "key-for-serper",
}

/** A studio in short, so that none must be built. */
const STUDIO_FOLDER = join("tests", "infra", "studio")
export const STUDIO = join(root, STUDIO_FOLDER)

const { PATH, HOME } = process.env

export interface SynthOptions {
  edits?: Edit[]
  env?: Record<string, string>
  bundle?: boolean
}

/** Evaluates `sst.config.ts`. Fails if the configuration does. */
export async function synthesise(stage: string, { env = {}, ...options }: SynthOptions = {}): Promise<Synth> {
  const [synth] = await synthesiseAll([{ stage, ...options }], env)
  if (!synth) throw new Error("Nothing was evaluated.")
  return synth
}

/** The same for several, one after the other. */
export async function synthesiseAll(
  wanted: (Omit<SynthOptions, "env"> & { stage: string })[],
  env: Record<string, string> = {},
): Promise<Synth[]> {
  const requests = wanted.map((one): SynthRequest => ({ root, secrets: SECRETS, edits: [], bundle: true, ...one }))
  const evaluator = idle.pop() ?? startEvaluator()
  const synths = await evaluator.evaluate({ requests, env })
  const errors = synths.at(-1)?.errors ?? []
  if (errors.length === 0) idle.push(evaluator)
  // A failure leaves promises behind that would fail in the next one's time.
  else evaluator.stop()
  if (errors.length > 0) throw new Error(errors.join("\n"))
  return synths
}

/** What is sent to the process that evaluates: what to evaluate, and the deployer's environment meanwhile. */
export interface Evaluation {
  requests: SynthRequest[]
  env: Record<string, string>
}

interface Evaluator {
  evaluate(evaluation: Evaluation): Promise<Synth[]>
  stop(): void
}

/** Those that wait for the next file of tests: to start one takes longer than to evaluate, and they keep what they bundled. */
const idle: Evaluator[] = []

/** A process of its own, which ends with ours. */
function startEvaluator(): Evaluator {
  const child = fork(join(import.meta.dirname, "main.ts"), {
    cwd: root,
    // Not our own environment: what is set here by chance must not decide what a deployment would be.
    env: { PATH, HOME, STUDIO_FOLDER, NODE_COMPILE_CACHE: COMPILED },
    execArgv: [],
    // Pulumi has its own word about promises that a failure left behind.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  })
  const gone = once(child, "exit").then(([code]): Synth[] => {
    throw new Error(`The process that evaluates the configuration ended with ${code}.`)
  })
  gone.catch(() => {})
  const hold = (isHeld: boolean) => {
    for (const each of [child, child.channel]) each?.[isHeld ? "ref" : "unref"]()
  }
  return {
    async evaluate(evaluation) {
      hold(true)
      try {
        const answer = once(child, "message").then(([synths]) => synths as Synth[])
        child.send(evaluation)
        return await Promise.race([answer, gone])
      } finally {
        hold(false)
      }
    },
    stop: () => void child.kill(),
  }
}

/** Resources of a type, by the last part of its name. */
export function of(synth: Pick<Synth, "resources">, type: string): Resource[] {
  return synth.resources.filter((resource) => resource.custom && resource.type.endsWith(`:${type}`))
}

/** The inputs of the only resource of that type and name. */
export function one(synth: Pick<Synth, "resources">, type: string, name: string): Resource["inputs"] {
  const found = of(synth, type).filter((resource) => resource.name === name)
  if (found.length !== 1) {
    throw new Error(`${found.length} of ${type} ${name}; there are ${of(synth, type).map((other) => other.name)}`)
  }
  return found[0]?.inputs
}
