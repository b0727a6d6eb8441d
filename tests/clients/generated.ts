import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Check } from "./main.ts"
import { GO_ENV, run } from "./tools.ts"

const here = (name: string) => join(import.meta.dirname, name)
const QUIET = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
/** Limit for Schemathesis, which never runs out of requests. */
const FUZZ_SECONDS = 40
/** Longer than a request to a worktree waits for its runner. */
const ANSWER_SECONDS = 120

const lint: Check = async ({ folder }, tools) => {
  await run(join(tools, "node_modules/.bin/redocly"), ["lint", join(folder, "openapi.json")], {
    cwd: folder,
    env: QUIET,
  })
}

const typescript: Check = async ({ server, token, folder }, tools) => {
  await symlink(join(tools, "node_modules"), join(folder, "node_modules"))
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  const program = (name: string, args: string[]) => run(join(tools, "node_modules/.bin", name), args, { cwd: folder })
  await program("openapi-typescript", ["openapi.json", "-o", "schema.d.ts"])
  await cp(here("client.ts.txt"), join(folder, "client.ts"))
  const strict = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom"]
  await program("tsc", [...strict, "client.ts"])
  const env = { SWITCHYARD_URL: server.url, SWITCHYARD_TOKEN: token }
  await run(process.execPath, ["--disable-warning=ExperimentalWarning", "client.ts"], { cwd: folder, env })
}

const python: Check = async ({ server, token, folder }, tools) => {
  const generate = ["generate", "--path", "openapi.json", "--meta", "none", "--output-path", "switchyard_client"]
  await run(join(tools, "openapi-python-client"), generate, {
    cwd: folder,
    env: { PATH: `${tools}:${process.env.PATH}` },
  })
  const env = { SWITCHYARD_URL: server.url, SWITCHYARD_TOKEN: token, PYTHONPATH: folder }
  await run(join(tools, "python"), [here("client.py")], { cwd: folder, env })
}

const go: Check = async ({ server, token, folder }, tools) => {
  const cwd = join(folder, "go")
  await mkdir(join(cwd, "switchyard"), { recursive: true })
  for (const file of ["go.mod", "go.sum"]) await cp(join(tools, file), join(cwd, file))
  await cp(here("client.go"), join(cwd, "main.go"))
  const output = ["-generate", "types,client", "-package", "switchyard", "-o", "switchyard/client.go"]
  await run(join(tools, "oapi-codegen"), [...output, join(folder, "openapi.json")], { cwd })
  const env = { ...GO_ENV, SWITCHYARD_URL: server.url, SWITCHYARD_TOKEN: token }
  await run("go", ["run", "."], { cwd, env })
}

/** Generates neither tests nor documents. The generator's other settings keep their defaults. */
const CODE_ONLY = "apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"

/** Halves the time of programs that end before the optimizing compiler pays off. */
const SHORT_LIVED = { JAVA_TOOL_OPTIONS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" }

const java: Check = async ({ server, token, folder }, tools) => {
  const cwd = join(folder, "java")
  await mkdir(cwd)
  const jars = (await readdir(tools)).filter((name) => name.endsWith(".jar"))
  const isGenerator = (name: string) => name.startsWith("openapi-generator-cli")
  const generator = join(tools, jars.find(isGenerator) ?? "")
  // The generator's jar contains other versions of the same libraries.
  const classPath = [".", ...jars.filter((name) => !isGenerator(name)).map((name) => join(tools, name))].join(":")
  const asked = [
    "-g",
    "java",
    "--library",
    "native",
    "--global-property",
    CODE_ONLY,
    "-i",
    "../openapi.json",
    "-o",
    ".",
  ]
  await run("java", ["-jar", generator, "generate", ...asked], { cwd, env: SHORT_LIVED })
  const sources = (await readdir(join(cwd, "src/main"), { recursive: true })).filter((name) => name.endsWith(".java"))
  const files = [here("Client.java"), ...sources.map((name) => join("src/main", name))]
  await run("javac", ["-d", ".", "-proc:none", "-cp", classPath, ...files], { cwd, env: SHORT_LIVED })
  const env = { SWITCHYARD_URL: server.url, SWITCHYARD_TOKEN: token }
  await run("java", ["-cp", classPath, "Client"], { cwd, env })
}

/**
 * Fuzzes every path except streams and responses that wait for a run, which may not end, and except tokens: the fuzzer
 * would revoke its own token and get only 401 afterwards.
 */
const fuzz: Check = async ({ server, token, folder }, tools) => {
  const leftOut = "(/stream|/generate|workflows/run)$|^/v1/tokens/"
  const checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
  const config = here("schemathesis.toml")
  const options = {
    "--exclude-path-regex": leftOut,
    "--checks": checks,
    "--phases": "coverage,fuzzing",
    "--max-time": String(FUZZ_SECONDS),
    "--request-timeout": String(ANSWER_SECONDS),
    "--max-examples": "15",
    // Hypothesis parses the source of its lambdas, and `ast.parse` of Python 3.11 sometimes fails if two threads call
    // it (CPython's issue 106905).
    "--workers": "1",
    "--header": `Authorization: Bearer ${token}`,
  }
  const args = ["--config-file", config, "run", join(folder, "openapi.json"), "--url", server.url]
  const flags = ["--generation-deterministic", "--continue-on-failure", "--no-color"]
  const { session, runId } = await somethingToFind(server, token)
  const env = { FUZZED_SESSION: session, FUZZED_RUN: runId }
  const output = await run(join(tools, "st"), [...args, ...Object.entries(options).flat(), ...flags], {
    cwd: folder,
    env,
  })
  console.log(`       ${/\d+ generated, .*/.exec(output)?.[0] ?? "nothing generated"}`)
}

/** Creates a session with a run, so that requests with its ids find it instead of returning 404. */
async function somethingToFind(server: Parameters<Check>[0]["server"], token: string) {
  const json = { user_prompt: "Make a list.", workspace_id: "fuzzed" }
  const { run_id } = await server.run(json, { headers: { authorization: `Bearer ${token}` } })
  return { session: "fuzzed", runId: String(run_id) }
}

export const generated: Record<"npm" | "python" | "go" | "java", Record<string, Check>> = {
  npm: {
    "`redocly lint` finds no error in /openapi.json": lint,
    "a TypeScript client from openapi-typescript builds a project": typescript,
  },
  python: {
    "a Python client from openapi-python-client builds a project": python,
    "Schemathesis gets nothing but what /openapi.json says": fuzz,
  },
  go: {
    "a Go client from oapi-codegen builds a project": go,
  },
  java: {
    "a Java client from openapi-generator builds a project": java,
  },
}
