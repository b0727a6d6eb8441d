export interface AwsCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/** Region and credentials for requests to AWS. */
export interface AwsAccess {
  region: string
  /** Returns the credentials of this process. `forceRefresh` loads them again. */
  credentials(options?: { forceRefresh?: boolean }): Promise<AwsCredentials>
}

/**
 * Returns access with AWS's usual chain of credentials: a function's or container's role, environment variables, or a
 * login of the AWS CLI. The chain is loaded with its first use, and refreshes credentials that are about to expire.
 */
export function defaultAwsAccess(region: string): AwsAccess {
  let chain: Promise<AwsAccess["credentials"]> | undefined
  return {
    region,
    async credentials(options) {
      chain ??= import("@aws-sdk/credential-provider-node").then(({ defaultProvider }) => defaultProvider())
      const load = await chain
      return load(options)
    },
  }
}
