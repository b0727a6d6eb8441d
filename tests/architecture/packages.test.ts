import { describe, expect, it } from "vitest"
import { circleIn, files, importing, type SourceFile } from "./source-files.ts"

describe("the map of the packages", () => {
  it("sees the files that it is about", () => {
    expect(files.length).toBeGreaterThan(50)
    expect(importing(/^functions\//, /^core\//).length).toBeGreaterThan(10)
  })

  it("lets core know nothing of what it runs in", () => {
    expect(importing(/^core\//, /^(hono|@hono\/|react|@lydell\/node-pty|sst)/)).toEqual([])
    expect(importing(/^core\//, /^(functions|cli|runner|web)\//)).toEqual([])
  })

  it("keeps the ground free of the product: the log and the stores know no noun", () => {
    expect(
      importing(
        /^core\/src\/(log|storage)\//,
        /^core\/src\/(?!(log|storage|concurrency|text)\/|(errors|ids|system-faults|time)\.ts)/,
      ),
    ).toEqual([])
  })

  it("lets packages import core, and never each other; web and cli also the client of the API", () => {
    expect(importing(/^functions\//, /^(cli|client|runner|web)\//)).toEqual([])
    expect(importing(/^runner\//, /^(functions|cli|client|web)\//)).toEqual([])
    expect(importing(/^cli\//, /^(functions|runner|web)\//)).toEqual([])
    expect(importing(/^web\//, /^(functions|runner|cli)\//)).toEqual([])
  })

  it("has the client know the API by its types alone, and everything else call it by the client", () => {
    expect(importing(/^client\//, /^(?!client\/|functions\/src\/routes\/|zod$)/)).toEqual([])
    const ofClient = files.filter(({ path }) => path.startsWith("client/"))
    expect(ofClient.filter(({ text }) => /^import (?!type).*@switchyard/m.test(text))).toEqual([])
    const written = /["'`](\/api)?\/(v1|workspace|generate|stream|health|status|prompts|graph|config\.json)[/"'`?]/
    const naming = files.filter(({ path, text }) => /^(cli|web)\//.test(path) && written.test(text))
    expect(naming.map(({ path }) => path)).toEqual([])
  })

  it("has the demo model know how a model speaks, and one file know the demo model", () => {
    const known = /^(demo-model\/|core\/src\/models\/(provider|errors|demo-offer)\.ts$|node:(fs|module)$)/
    const wrong = files.flatMap(({ path, imports }) => (path.startsWith("demo-model/") ? imports : []))
    expect(wrong.filter((name) => !known.test(name))).toEqual([])
    expect(importing(/^(?!demo-model\/)/, /^demo-model\//)).toEqual([
      "functions/src/demo-model.ts → demo-model/src/provider.ts",
    ])
  })

  it.each([
    ["cli", /^(core\/|zod$|yauzl$|node:)/],
    ["web", /^(core\/|zod$)/],
  ])("gives %s schemas and pure functions: what it reaches in core touches no store", (client, allowed) => {
    const reached = closure(files.filter(({ path }) => path.startsWith(`${client}/`)).flatMap(({ imports }) => imports))
    const wrong = reached.flatMap(({ path, imports }) =>
      imports.filter((name) => !allowed.test(name) || name.includes("/storage/")).map((name) => `${path} → ${name}`),
    )
    expect(wrong).toEqual([])
  })

  it("names the partitions and blobs of a session in one file, on which the policy of runners hangs", () => {
    const naming = files.filter(({ path, text }) => !path.startsWith("web/") && /`s\/\$\{|"s\//.test(text))
    expect(naming.map(({ path }) => path)).toEqual(["core/src/kernel/keys.ts"])
  })

  it("names each schema once: of two with the same name, the API's description shows one for both", () => {
    const named = files.flatMap(({ text }) => [...text.matchAll(/\.(?:openapi\(|meta\(\{\s*id:\s*)"(\w+)"/g)])
    const byName = Object.groupBy(named, ([, name = ""]) => name)
    expect(Object.keys(byName).length).toBeGreaterThan(200)
    expect(Object.keys(byName).filter((name) => byName[name]?.length !== 1)).toEqual([])
  })

  it("tells the kinds of runs apart in one table", () => {
    const asks = files.filter(({ text }) => /kind\)? (===|!==) "(workflow|agent)"|case "(workflow|agent)":/.test(text))
    expect(asks.map(({ path }) => path)).toEqual(["core/src/work/runs/kinds.ts"])
  })

  it("has no files in a circle, not even by their types, but for those of a whole and its parts", () => {
    // These files are part of cycles on purpose: a state contains a part for each noun, whose rules read the whole
    // state, and a demo project names one of the recipes that make it.
    const wholes = /^(core\/src\/(state|work\/teams\/state)|demo-model\/src\/project)\.ts$/
    const paths = new Set(files.map(({ path }) => path))
    const needed = (imports: string[]) => new Set(imports.filter((name) => paths.has(name) && !wholes.test(name)))
    expect(circleIn(new Map(files.map(({ path, imports }) => [path, needed(imports)])))).toEqual([])
  })

  it("keeps adapters to whoever composes", () => {
    const adapter =
      /^core\/src\/(storage\/(sqlite|dynamo|files|s3)|models\/(registry|groq|openai|anthropic|bedrock))\.ts$/
    const composing =
      /^(?!functions\/src\/(local|compose|aws)|runner\/src\/serving\/(local|cloud)-host\.ts|core\/src\/(storage|models)\/)/
    expect(importing(composing, adapter)).toEqual([])
  })

  it("keeps each outside system to the file that adapts it", () => {
    expect(importing(/^(?!core\/src\/storage\/)/, /^(@aws-sdk\/|node:sqlite)/)).toEqual([
      "core/src/models/aws-access.ts → @aws-sdk/credential-provider-node",
      "functions/src/aws/caller.ts → @aws-sdk/client-sts",
      "functions/src/aws/ecs.ts → @aws-sdk/client-ecs",
      "functions/src/aws/invoke.ts → @aws-sdk/client-lambda",
      "functions/src/aws/quota.ts → @aws-sdk/client-lambda",
      "functions/src/aws/session-role.ts → @aws-sdk/client-sts",
      "runner/src/serving/session-credentials.ts → @aws-sdk/client-lambda",
      "functions/src/aws/sockets/gateway.ts → @aws-sdk/client-apigatewaymanagementapi",
    ])
    expect(importing(/^/, /^hono\/aws-lambda/)).toEqual(["functions/src/aws/streamed.ts → hono/aws-lambda"])
    expect(importing(/^(?!core\/src\/models\/)/, /^(groq-sdk|openai|@anthropic-ai\/|@smithy\/)/)).toEqual([])
    expect(importing(/^(?!core\/src\/work\/workflow\/)/, /^@langchain\//)).toEqual([])
  })

  it("has no doc comment that begins with a question", () => {
    const riddle = /^\s*\/?\*\*? (What|Who|Whoever|Whatever|Where|How)\b.*$/gm
    const found = files.flatMap(({ path, text }) =>
      [...text.matchAll(riddle)].map(([line]) => `${path}: ${line.trim()}`),
    )
    expect(found).toEqual([])
  })

  it("reads the environment in entry points only", () => {
    const reading = files.filter(({ text }) => /process\.env/.test(text))
    const entry =
      /\/main\.ts$|^functions\/src\/aws\/(api|stream|worker|sweep|slots|credentials|logins|socket|socket-pump|preview)\.ts$/
    expect(reading.map(({ path }) => path).filter((path) => !entry.test(path))).toEqual([])
  })
})

/** Returns core's files that these imports lead to, directly or through other files. */
function closure(imports: string[], found = new Map<string, SourceFile>()): SourceFile[] {
  for (const file of files.filter(({ path }) => path.startsWith("core/") && imports.includes(path))) {
    if (found.has(file.path)) continue
    found.set(file.path, file)
    closure(file.imports, found)
  }
  return [...found.values()]
}
