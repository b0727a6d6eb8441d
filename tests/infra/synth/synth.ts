import { fork } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { COMPILED } from "../../settings.ts"
import type { Bundling } from "../bundle-function.ts"

/** Replaces a text in a source file, to test if a check detects the change. */
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
  /** True to bundle the functions, which takes most of the time. */
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
  /** Bytes that a cold start reads, and all bytes. */
  coldBytes: number
  totalBytes: number
  /** Packages with code in the bundle. */
  packages: string[]
  /** Options that SST gave for this bundle. */
  told: Bundling
}

/** Everything that a deployment would create. */
export interface Synth {
  app: { name: string; stage: string; protect: boolean; removal: string; home: string }
  outputs: unknown
  resources: Resource[]
  builds: Record<string, Build>
  errors: string[]
}

export const root = join(import.meta.dirname, "..", "..", "..")

/** Reason why nothing can be evaluated on this machine. Undefined if everything can. */
export const missing = existsSync(join(root, ".sst/platform/node_modules/@pulumi/pulumi"))
  ? undefined
  : "the SST platform is not installed; node tools/install-platform.mjs"

/** Fixed secrets, so that tests can look for them in places that must not have them. */
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

/** A minimal studio, so that no test has to build the real one. */
const STUDIO_FOLDER = join("tests", "infra", "studio")
export const STUDIO = join(root, STUDIO_FOLDER)

const { PATH, HOME } = process.env

export interface SynthOptions {
  edits?: Edit[]
  env?: Record<string, string>
  bundle?: boolean
}

/** Evaluates `sst.config.ts` for a stage. Throws if the configuration fails. */
export async function synthesise(stage: string, { env = {}, ...options }: SynthOptions = {}): Promise<Synth> {
  const [synth] = await synthesiseAll([{ stage, ...options }], env)
  if (!synth) throw new Error("Nothing was evaluated.")
  return synth
}

/** Evaluates several stages one after another. Throws if one fails. */
export async function synthesiseAll(
  wanted: (Omit<SynthOptions, "env"> & { stage: string })[],
  env: Record<string, string> = {},
): Promise<Synth[]> {
  const requests = wanted.map((one): SynthRequest => ({ root, secrets: SECRETS, edits: [], bundle: true, ...one }))
  const evaluator = idle.pop() ?? startEvaluator()
  const synths = await evaluator.evaluate({ requests, env })
  const errors = synths.at(-1)?.errors ?? []
  if (errors.length === 0) idle.push(evaluator)
  // A failed evaluation leaves promises behind, which would make the next one fail.
  else evaluator.stop()
  if (errors.length > 0) throw new Error(errors.join("\n"))
  return synths
}

/** Message to the evaluating process: the requests, and the deployer's environment. */
export interface Evaluation {
  requests: SynthRequest[]
  env: Record<string, string>
}

interface Evaluator {
  evaluate(evaluation: Evaluation): Promise<Synth[]>
  stop(): void
}

/** Evaluators for the next test file. Starting one takes longer than evaluating, and each caches its bundles. */
const idle: Evaluator[] = []

/** Starts a process that ends with this one. */
function startEvaluator(): Evaluator {
  const child = fork(join(import.meta.dirname, "main.ts"), {
    cwd: root,
    // Not our own environment, whose variables could change the result.
    env: { PATH, HOME, STUDIO_FOLDER, NODE_COMPILE_CACHE: COMPILED },
    execArgv: [],
    // Pulumi prints a message about promises that a failure left behind.
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

/** Returns resources of a type, given by the last part of its name. */
export function of(synth: Pick<Synth, "resources">, type: string): Resource[] {
  return synth.resources.filter((resource) => resource.custom && resource.type.endsWith(`:${type}`))
}

/** Returns the inputs of the only resource of this type and name. Throws if there isn't exactly one. */
export function one(synth: Pick<Synth, "resources">, type: string, name: string): Resource["inputs"] {
  const found = of(synth, type).filter((resource) => resource.name === name)
  if (found.length !== 1) {
    throw new Error(`${found.length} of ${type} ${name}; there are ${of(synth, type).map((other) => other.name)}`)
  }
  return found[0]?.inputs
}
