import {
  DeleteFunctionCommand,
  GetAliasCommand,
  type LambdaClient,
  paginateListVersionsByFunction,
  UpdateAliasCommand,
} from "@aws-sdk/client-lambda"
import { IMAGES_KEPT } from "./kept.ts"
import { LIVE } from "./live.ts"

/** A published version of a function. */
export interface PublishedVersion {
  /** Version number in Lambda. */
  number: string
  /** Version of the code. */
  code: string
  settings: Record<string, string>
}

/** Returns a function's published versions, newest first. */
export async function publishedVersions(client: LambdaClient, FunctionName: string): Promise<PublishedVersion[]> {
  const found: PublishedVersion[] = []
  for await (const { Versions = [] } of paginateListVersionsByFunction({ client }, { FunctionName })) {
    for (const { Version: number = "", Environment } of Versions) {
      const settings = Environment?.Variables ?? {}
      if (/^\d+$/.test(number)) found.push({ number, code: settings.VERSION ?? "", settings })
    }
  }
  return found.sort((a, b) => Number(b.number) - Number(a.number))
}

/** Returns the number of a function's live version. */
export async function liveVersion(client: LambdaClient, FunctionName: string): Promise<string | undefined> {
  return (await client.send(new GetAliasCommand({ FunctionName, Name: LIVE }))).FunctionVersion
}

/** Makes another version of a function live. */
export async function makeLive(client: LambdaClient, FunctionName: string, FunctionVersion: string): Promise<void> {
  await client.send(new UpdateAliasCommand({ FunctionName, Name: LIVE, FunctionVersion }))
}

/**
 * Deletes the oldest versions of a function. As many remain as images of agents' containers, because an older version
 * couldn't start containers.
 */
export async function pruneVersions(client: LambdaClient, FunctionName: string): Promise<void> {
  const live = await liveVersion(client, FunctionName)
  for (const { number } of (await publishedVersions(client, FunctionName)).slice(IMAGES_KEPT)) {
    if (number !== live) await client.send(new DeleteFunctionCommand({ FunctionName, Qualifier: number }))
  }
}
