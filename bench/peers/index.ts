import { dlt } from './dlt/index.ts'
import type { Peer } from './peer.ts'
import { stripeSync, stripeSyncLimited } from './stripe-sync/index.ts'
import { supabase } from './supabase/index.ts'

export const PEERS: readonly Peer[] = [supabase, stripeSync, stripeSyncLimited, dlt]
