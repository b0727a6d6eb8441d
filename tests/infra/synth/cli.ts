import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { basename, join } from "node:path"
import { type Bundling, bundleFunction } from "../bundle-function.ts"
import { workFolder } from "./bundle.ts"
import { ACCOUNT, REGION } from "./mocks.ts"
import type { Build, SynthRequest } from "./synth.ts"

interface BuildInput {
  functionID: string
  handler: string
  properties?: Bundling
}

/** Bundles by file and options. The functions' own code is the same in every evaluation. */
const bundles = new Map<string, ReturnType<typeof bundleFunction>>()

function bundleOnce(file: string, properties: Bundling) {
  const asked = JSON.stringify([file, properties])
  const known = bundles.get(asked)
  if (known) return known
  const bundling = bundleFunction(file, properties)
  bundles.set(asked, bundling)
  return bundling
}

const UNBUNDLED = { cold: 0, total: 0, packages: [] }

/** Serves a stand-in for the SST tool on loopback. SST uses the tool for everything outside of Pulumi. */
export async function serveCli({ root, bundle }: SynthRequest) {
  const builds: Record<string, Build> = {}

  async function buildFunction({ functionID, handler, properties = {} }: BuildInput) {
    const file = `${handler.slice(0, handler.lastIndexOf("."))}.ts`
    const out = join(workFolder(root), "built", functionID)
    if (!existsSync(join(root, file))) return { handler: "", out, errors: [`Handler not found: ${handler}`] }
    const { cold, total, packages } = bundle ? await bundleOnce(file, properties) : UNBUNDLED
    mkdirSync(out, { recursive: true })
    writeFileSync(join(out, "resource.enc"), "")
    const { minify, splitting, plugins } = properties
    builds[functionID] = { handler, coldBytes: cold, totalBytes: total, packages, told: { minify, splitting, plugins } }
    return { handler: basename(handler), out, errors: [], sourcemaps: [] }
  }

  const methods: Record<string, (input: never) => unknown> = {
    "Provider.Aws.Bootstrap": () => ({
      asset: "sst-asset",
      state: "sst-state",
      assetEcrRegistryId: ACCOUNT,
      assetEcrUrl: `${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com/sst-asset`,
    }),
    "Runtime.Build": buildFunction,
    "Runtime.AddTarget": () => ({}),
  }

  const server = createServer(async (request, response) => {
    try {
      const { method, params } = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString())
      const answer = methods[method]
      if (!answer) throw new Error(`The tool has no ${method}.`)
      response.end(JSON.stringify({ result: await answer(params[0] as never) }))
    } catch (error) {
      response.end(JSON.stringify({ error: String(error) }))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  server.unref()
  server.on("connection", (socket) => socket.unref())
  const { port } = server.address() as AddressInfo
  const env = {
    SST_SERVER: `http://127.0.0.1:${port}`,
    SST_AWS_REGION: REGION,
    SST_AWS_ACCESS_KEY_ID: "mock",
    SST_AWS_SECRET_ACCESS_KEY: "mock",
    AWS_EC2_METADATA_DISABLED: "true",
  }
  return { env, builds, close: () => server.close() }
}
