/// <reference path="../.sst/platform/config.d.ts" />

/** Number of availability zones. Fargate looks for capacity in all of them. */
const ZONES = 2

/**
 * Creates the runners' network, where nothing accepts connections. Runners reach the internet through their own public
 * addresses, because a NAT gateway would cost more than everything else combined. They reach the table and the bucket
 * through free gateway endpoints.
 *
 * SST's `Vpc` isn't used: it would add a private DNS zone, which is billed monthly, and a security group that admits
 * the whole network.
 */
export function createNetwork() {
  const vpc = new aws.ec2.Vpc("RunnerNetwork", {
    cidrBlock: "10.0.0.0/16",
    enableDnsSupport: true,
    enableDnsHostnames: true,
  })
  // AWS creates this group. By default, it lets its members connect to each other; without rules, it allows nothing.
  new aws.ec2.DefaultSecurityGroup("RunnerNobody", { vpcId: vpc.id, ingress: [], egress: [] })
  const internet = new aws.ec2.InternetGateway("RunnerInternet", { vpcId: vpc.id })
  const routes = new aws.ec2.RouteTable("RunnerRoutes", {
    vpcId: vpc.id,
    routes: [{ cidrBlock: "0.0.0.0/0", gatewayId: internet.id }],
  })
  // Exclude local zones that the account has opted in to, because Fargate doesn't run there.
  const filters = [{ name: "opt-in-status", values: ["opt-in-not-required"] }]
  const { names } = aws.getAvailabilityZonesOutput({ state: "available", filters })
  const subnets = Array.from({ length: ZONES }, (_, zone) => {
    const subnet = new aws.ec2.Subnet(`RunnerSubnet${zone + 1}`, {
      vpcId: vpc.id,
      cidrBlock: `10.0.${zone}.0/24`,
      availabilityZone: names.apply((all) => all[zone] ?? ""),
    })
    new aws.ec2.RouteTableAssociation(`RunnerSubnet${zone + 1}Routes`, {
      subnetId: subnet.id,
      routeTableId: routes.id,
    })
    return subnet.id
  })

  const { region } = aws.getRegionOutput({})
  for (const service of ["s3", "dynamodb"]) {
    new aws.ec2.VpcEndpoint(`RunnerTo${service === "s3" ? "Blobs" : "Records"}`, {
      vpcId: vpc.id,
      vpcEndpointType: "Gateway",
      serviceName: $interpolate`com.amazonaws.${region}.${service}`,
      routeTableIds: [routes.id],
    })
  }

  const group = new aws.ec2.SecurityGroup("RunnerGroup", {
    vpcId: vpc.id,
    description: "Runners: nothing comes in",
    ingress: [],
    egress: [{ protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: ["0.0.0.0/0"] }],
  })
  return { subnets, group: group.id }
}
