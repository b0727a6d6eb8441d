import { CreateFunctionCommand, type LambdaClient } from "@aws-sdk/client-lambda"
import { zipOf } from "../cli/zip.ts"

interface Made {
  role: string
  /** Source in CommonJS that sets `exports.handler`. */
  code?: string
  environment?: Record<string, string>
}

/** Creates a function and resolves to its ARN. */
export async function createLambda(client: LambdaClient, FunctionName: string, made: Made): Promise<string> {
  const { role, code = "exports.handler = async () => ({})", environment = {} } = made
  const { FunctionArn = "" } = await client.send(
    new CreateFunctionCommand({
      ...{ FunctionName, Role: role, Runtime: "nodejs22.x", Handler: "index.handler" },
      Code: { ZipFile: zipOf([{ name: "index.js", content: code }]) },
      Environment: { Variables: environment },
    }),
  )
  return FunctionArn
}
