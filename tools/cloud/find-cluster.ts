import { DescribeClustersCommand, type ECSClient, paginateListClusters } from "@aws-sdk/client-ecs"

/** Finds the cluster of a stage's containers by SST's tags, because the stage's functions may be gone. */
export async function findCluster(client: ECSClient, stage: string): Promise<string | undefined> {
  for await (const { clusterArns = [] } of paginateListClusters({ client }, {})) {
    if (clusterArns.length === 0) continue
    const command = new DescribeClustersCommand({ clusters: clusterArns, include: ["TAGS"] })
    const { clusters = [] } = await client.send(command)
    const found = clusters.find(({ status, tags = [] }) => {
      const has = (key: string, value: string) => tags.some((tag) => tag.key === key && tag.value === value)
      // A deleted cluster is still described for a while.
      return status === "ACTIVE" && has("sst:app", "switchyard") && has("sst:stage", stage)
    })
    if (found) return found.clusterName
  }
}
