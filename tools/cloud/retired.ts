/**
 * Tag of an asset that no page of the current deployment uses. The bucket's rule in `infra/web.ts` deletes it a month
 * later.
 */
export const RETIRED = { key: "retired", value: "yes" }
