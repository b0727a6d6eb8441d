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
