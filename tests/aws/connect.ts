import { inject } from "vitest"
import type { Emulator } from "./servers.ts"

declare module "vitest" {
  interface ProvidedContext {
    emulator: Emulator
  }
}

/** Connects to a region of the emulator, which is empty except for what every new account has. */
export function connectAws(region: string) {
  const { name, endpoint } = inject("emulator")

  async function control(path: string, settings: object): Promise<void> {
    if (name === "Moto") await fetch(`${endpoint}/moto-api/${path}`, { method: "POST", body: JSON.stringify(settings) })
  }

  /** Sends a request to a service that the product has no client for. The emulators accept any signature. */
  function request(service: string, path: string, body: string | URLSearchParams): Promise<Response> {
    const authorization = `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`
    return fetch(`${endpoint}${path}`, { method: "POST", headers: { authorization }, body })
  }

  return {
    name,
    endpoint,
    config: { endpoint, region, credentials: { accessKeyId: "test", secretAccessKey: "test" } },
    /** Keeps resources of this model in their state on Moto, which otherwise advances it with each look. */
    async keepRunning(model: string): Promise<void> {
      const transition = { progression: "time", seconds: 3600 }
      await control("state-manager/set-transition", { model_name: model, transition })
    },
    /** Makes Moto's functions answer without starting a container for each. */
    async withoutDocker(): Promise<void> {
      await control("config", { lambda: { use_docker: false } })
    },
    /** Sets the answers of the next invocations on Moto, which runs no code without a container. */
    async functionsAnswer(answers: object[]): Promise<void> {
      await control("static/lambda-simple/response", { results: answers.map((one) => JSON.stringify(one)), region })
    },
    /** Creates a role and resolves to its ARN. */
    async createRole(RoleName: string): Promise<string> {
      const role = { Action: "CreateRole", Version: "2010-05-08", RoleName, AssumeRolePolicyDocument: "{}" }
      const made = await (await request("iam", "/", new URLSearchParams(role))).text()
      return /<Arn>(.*?)</.exec(made)?.[1] ?? ""
    },
    /** Resolves to the ID of a subnet in the account's default network. */
    async findSubnet(): Promise<string> {
      const asked = new URLSearchParams({ Action: "DescribeSubnets", Version: "2016-11-15" })
      const subnets = await (await request("ec2", "/", asked)).text()
      return /<subnetId>(.*?)</.exec(subnets)?.[1] ?? ""
    },
    /** Creates a resource of API Gateway, and resolves to its description. */
    async createInGateway(path: string, thing: object): Promise<Record<string, string>> {
      const made = await request("apigateway", `/v2/apis${path}`, JSON.stringify(thing))
      return (await made.json()) as Record<string, string>
    },
  }
}
