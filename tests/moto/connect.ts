import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    motoEndpoint: string
  }
}

/** A region of Moto's own, empty but for what an account begins with. */
export function connectMoto(region: string) {
  const endpoint = inject("motoEndpoint")
  return {
    config: { endpoint, region, credentials: { accessKeyId: "test", secretAccessKey: "test" } },
    /** Leaves what is running as it is: Moto has a thing end a little with each look at it. */
    async keepRunning(model: string): Promise<void> {
      const transition = { progression: "time", seconds: 3600 }
      const body = JSON.stringify({ model_name: model, transition })
      await fetch(`${endpoint}/moto-api/state-manager/set-transition`, { method: "POST", body })
    },
    /** Has functions answer without a container for each. */
    async withoutDocker(): Promise<void> {
      const body = JSON.stringify({ lambda: { use_docker: false } })
      await fetch(`${endpoint}/moto-api/config`, { method: "POST", body })
    },
    /** Has the next invocations be answered by these. */
    async functionsAnswer(answers: object[]): Promise<void> {
      const body = JSON.stringify({ results: answers.map((answer) => JSON.stringify(answer)), region })
      await fetch(`${endpoint}/moto-api/static/lambda-simple/response`, { method: "POST", body })
    },
    /** The answer, as XML, of a service for which the product has no client. */
    async ask(service: string, parameters: Record<string, string>): Promise<string> {
      const authorization = `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`
      const answer = await fetch(endpoint, {
        method: "POST",
        headers: { authorization },
        body: new URLSearchParams(parameters),
      })
      return answer.text()
    },
  }
}
