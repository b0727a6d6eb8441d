import { readdirSync, readFileSync } from "node:fs"
import { authorized, raw, toGateway } from "./network.ts"
import type { Attempt, Surroundings } from "./place.ts"

// Attempts to get the session's AWS credentials, which the runner uses to sign the agent's calls to Bedrock.

const ACTION = "invoke-with-response-stream"
/** The only model that the stage allows. */
const MODEL = String(process.env.ANTHROPIC_MODEL)
const CALL = `/model/${MODEL}/${ACTION}`
/** Server of a container's credentials. Only the runner knows their path. */
const HOST = "169.254.170.2"
const PATH = process.env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI ?? "/v2/credentials"

const asking = (at: Surroundings, path: string, { method = "POST", headers = "" } = {}) =>
  `${method} ${path} HTTP/1.1\r\n${authorized(at)}${headers}${method === "POST" ? "content-length: 2\r\n\r\n{}" : "\r\n"}`

const refused = (what: string, path: string, how?: { method?: string; headers?: string }) =>
  toGateway(what, (at) => asking(at, path, how))

/** Makes an allowed call to an API that repeats its request. The answer must arrive, without the credentials. */
function echoed(what: string, status: number, body: object = {}): Attempt {
  async function call({ gateway }: Surroundings): Promise<string> {
    const headers = { authorization: `Bearer ${gateway.token}` }
    const answer = await fetch(`${gateway.url}${CALL}`, { method: "POST", headers, body: JSON.stringify(body) })
    return `${answer.status} ${[...answer.headers].join()} ${await answer.text()}`
  }
  return {
    name: `Bedrock's credentials, in ${what}`,
    run: (at) => call(at).catch(String),
    isNothing: (got) => got.startsWith(`${status} `),
  }
}

const PROXY = process.env.HTTP_PROXY
/** Sends this text to the proxy, which must refuse it. */
function viaProxy(what: string, text: string): Attempt {
  return {
    name: `the container's credentials, by ${what}`,
    run: () => (PROXY ? raw(new URL(PROXY).port, text) : "There is no proxy."),
    isNothing: (got) => got.startsWith("HTTP/1.1 403"),
  }
}

export const bedrockAttempts: Attempt[] = [
  // The first signature fails. See `bedrock-runner.ts`.
  echoed("the reason why nothing could be signed", 503),
  echoed("an answer that repeats what the API was sent", 200),
  echoed("a refusal that repeats what the API was sent", 403, { refuse: true }),
  {
    name: "variables of AWS or of the runner",
    run: () => Object.keys(process.env).filter((name) => /^(AWS_(?!REGION$)|RUNNER_|ECS_)/.test(name)),
    isNothing: (got) => got === "",
  },
  {
    name: "Bedrock's credentials, in the environment or the command line of any process",
    run() {
      const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
      const texts = pids.flatMap((pid) => ["environ", "cmdline"].map((file) => readable(`/proc/${pid}/${file}`)))
      return texts.filter((text) => text.includes("REAL-CANARY"))
    },
    isNothing: (got) => got === "",
  },
  refused("another model", `/model/us.anthropic.claude-opus-5/${ACTION}`),
  refused("the model by the end of another name", `/model/x.${MODEL}/${ACTION}`),
  refused("another model, by a slash in the name", `/model/x%2F..%2F${MODEL}/${ACTION}`),
  refused("the model twice encoded", `/model/${encodeURIComponent(encodeURIComponent(MODEL))}/${ACTION}`),
  refused("another model behind an allowed one", `${CALL}/../../us.anthropic.claude-opus-5/${ACTION}`),
  refused("a call that isn't counted", CALL.replace(ACTION, "invoke")),
  refused("another kind of call", CALL.replace(ACTION, "converse-stream")),
  refused("a call with a query", `${CALL}?X-Amz-Expires=604800`),
  refused("a call by another method", CALL, { method: "GET" }),
  refused("the list of models", "/foundation-models", { method: "GET" }),
  refused("an inference profile", "/inference-profiles"),
  refused("a batch of calls", "/model-invocation-job"),
  refused("a token of the session", "/?Action=GetSessionToken&Version=2011-06-15"),
  refused("another service, by its target", "/", { headers: "x-amz-target: DynamoDB_20120810.GetItem\r\n" }),
  refused("the container's credentials", `http://${HOST}${PATH}`, { method: "GET" }),
  viaProxy("the proxy", `GET http://${HOST}${PATH} HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`),
  viaProxy("a tunnel", `CONNECT ${HOST}:80 HTTP/1.1\r\nhost: ${HOST}:80\r\n\r\n`),
  {
    name: "the container's credentials, past the proxy",
    run: () => raw("80", `GET ${PATH} HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`, HOST),
    isNothing: (got) => !got.startsWith("HTTP/1.1 200"),
  },
]

function readable(file: string): string {
  try {
    return readFileSync(file, "latin1")
  } catch {
    return ""
  }
}
