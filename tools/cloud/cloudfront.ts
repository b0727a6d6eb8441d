import { askAws } from "./aws-cli.ts"
import type { Finding } from "./finding.ts"

const DISTRIBUTIONS = "cloudfront list-distributions --no-paginate --query DistributionList.Quantity"

/**
 * Warns if the account has no CloudFront distribution, because AWS refuses the first one in some new accounts, and no
 * request can tell in advance. Without the AWS CLI, returns nothing.
 */
export function cloudFrontFound(region: string): Finding[] {
  const { ok, text } = askAws(DISTRIBUTIONS, region)
  if (!ok || Number(text) !== 0) return []
  const says =
    'The account has no CloudFront distribution yet. AWS may refuse the first one until the account is "verified". See "If AWS refuses" in docs/deploy.md.'
  return [{ kind: "note", says }]
}
