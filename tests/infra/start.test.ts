import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { beforeAll, describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import { COMPILED, someOf } from "../settings.ts"
import { missing, of, root, type Synth, synthesise } from "./synth/synth.ts"

const run = promisify(execFile)

/** Variables that Lambda sets for every function. */
const LAMBDA = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" }

/** Loads a handler like Lambda, and prints its type. */
const LOAD = `
  globalThis.awslambda = { streamifyResponse: (handler) => handler }
  const { handler } = await import(process.argv[1])
  console.log(typeof handler)
`

describe.each(["prod", "dev"])("on %s, with the environment that it is given", needs(missing), (stage) => {
  let synth: Synth
  beforeAll(async () => {
    synth = await synthesise(stage, { bundle: false })
  })

  const start = (name: string, without?: string) => {
    const [lambda] = of(synth, "Function").filter((found) => found.name === `${name}Function`)
    const { [without ?? ""]: _, ...env } = lambda?.inputs.environment.variables ?? {}
    const file = synth.builds[name]?.handler.replace(/\.handler$/, ".ts") ?? ""
    const options = { cwd: root, env: { ...env, ...LAMBDA, NODE_COMPILE_CACHE: COMPILED } }
    return run(process.execPath, ["--input-type=module", "-e", LOAD, `${root}/${file}`], options)
  }

  it.each(["Api", "Stream", "Worker", "Sweep"])("the function %s starts", async (name) => {
    const { stdout } = await start(name)
    // The function may print other lines first.
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("function")
  })

  const variables: [name: string, variable: string][] = [
    ["Api", "ORIGIN_SECRET"],
    ["Api", "ADMIN_TOKEN"],
    ["Stream", "MASTER_KEY"],
    ["Worker", "TABLE"],
    ["Sweep", "BUCKET"],
  ]

  it.each(someOf(variables, stage === "prod" ? variables.length : 1))(
    "the function %s would not start without %s",
    async (name, variable) => {
      await expect(start(name, variable)).rejects.toThrow(variable)
    },
  )
})
