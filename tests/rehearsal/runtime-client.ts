import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "./bundles.ts"

const VERSION = "4.0.2"
const folder = join(ROOT, ".rehearsal", `ric-${VERSION}`)
const entry = join(folder, "node_modules", "aws-lambda-ric", "index.mjs")
const native = join(folder, "node_modules", "aws-lambda-ric", "rapid-client.node")

/** Provides the headers of the running Node. node-gyp would download them, and not from npm's registry. */
const headers = `node-${process.platform}-${process.arch}`

/**
 * Installs AWS's own Lambda runtime client once, and resolves to its file. npm compiles its native half, which takes
 * minutes and tools that the product itself doesn't need. Throws if one of them is missing.
 */
export async function runtimeClient(): Promise<string> {
  if (existsSync(native)) return entry
  console.log(`Compiling aws-lambda-ric ${VERSION}, once; that takes some minutes …`)
  // Files of an earlier attempt would look installed.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, allowScripts: { "aws-lambda-ric": true } }),
  )
  const packages = [`aws-lambda-ric@${VERSION}`, `${headers}@${process.versions.node}`]
  const npm = spawn("npm", ["install", "--no-audit", "--no-fund", "--save-exact", ...packages], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
    env: { ...process.env, npm_config_nodedir: join(folder, "node_modules", headers) },
  })
  let said = ""
  for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text))
  const [code] = await once(npm, "close")
  if (code === 0 && existsSync(native)) return entry
  throw new Error(`aws-lambda-ric can't be built here: it takes autoconf, automake, libtool, cmake, g++, make and python3.
${said.split("\n").slice(-15).join("\n")}`)
}
