import { quietPorts } from '../process/ports.ts'

/** Variables that give each service of a second `npm start` a port that nothing else uses. */
export async function freePorts() {
  // The simulators use one port for each PSP, from the one that is named.
  const [api, metrics, worker, receiver, postgres, temporal, ui, simulators] = await quietPorts(14)
  return {
    RECOUP_API_PORT: String(api),
    RECOUP_API_METRICS_PORT: String(metrics),
    RECOUP_WORKER_PORT: String(worker),
    RECOUP_RECEIVER_PORT: String(receiver),
    RECOUP_POSTGRES_PORT: String(postgres),
    RECOUP_TEMPORAL_PORT: String(temporal),
    RECOUP_TEMPORAL_UI_PORT: String(ui),
    RECOUP_SIMULATORS_PORT: String(simulators),
  }
}
