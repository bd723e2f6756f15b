// Generated from docs/openapi.json by `npm run generate`.
export interface Schemas {
  "ChargebackEvent": { "id": string; "type": "chargeback.created" | "chargeback.won" | "chargeback.lost" | "chargeback.split" | "chargeback.reopened" | "chargeback.due_soon" | "chargeback.updated"; "timestamp": string; "sequence": string; "referenceAccountId": string; "quiet"?: boolean; "data": { "chargeback"?: Schemas['Chargeback']; "chargebackId"?: string; "changes": (Schemas['EventChange'])[] } }
  "Chargeback": { "id": string; "chargebackId": string; "referenceAccountId": string; "integrationId"?: string; "psp"?: "tabapay" | "nmi" | "stripe" | "paypal" | "amex" | "braintree" | "shopify_payments" | "amazon_pay" | "adyen" | "other" | "cardpointe" | "checkout" | "omnipay" | "acquiring" | "chase" | "nuvei" | "authorizenet" | "mollie" | "firstdata" | "fiserv" | "elavon" | "bluesnap" | "vantiv" | "dlocal" | "payu" | "worldpay_mai" | "worldpay_iq" | "payroc" | "citi" | "merlink_drs" | "credorax" | "dalenys" | "worldpay_cb911" | "worldpay_accertify" | "discover" | "elavon_payment_insider" | "elavon_connect" | "shift4" | "payplug" | "global_payments" | "square" | "ebanx" | "zen" | "payments_hub" | "ems_data" | "maverick" | "corvia" | "payroc_canada" | "tap" | "sabadell" | "kushki" | "worldpay" | "klarna" | "paysafe" | "airwallex" | "mangopay" | "ecommpay" | "iyzico" | "lighthouse" | "moka" | "worldpay_wdp" | "recoup_sandbox"; "currency"?: string; "amount"?: number; "postingDate"?: string; "transactionCreatedDate"?: string; "dueDate"?: string; "pspStatusChangeDate"?: string; "pspStatus"?: "needs_response" | "under_review" | "won" | "lost" | "not_applicable" | "evidence_not_submitted_by_psp" | "split" | "unknown"; "status"?: "waiting_for_data" | "building_evidence" | "pending_psp_results" | "not_represented"; "lifecycleStage"?: "alert" | "inquiry" | "claim" | "chargeback" | "second_chargeback" | "third_chargeback" | "other"; "transactionId"?: string; "arn"?: string; "externalTransactionIdentifier"?: string; "merchantReferenceName"?: string; "reasonCode"?: string; "reason"?: string; "cardScheme"?: string; "enrichmentRatio"?: number; "winProbability"?: number; "roiRecommendation"?: "Fight" | "Accept"; "bin"?: string; "billingCountry"?: string; "isEnriched"?: boolean; "paymentMethod"?: string; "cardLastFourDigits"?: string }
  "EventChange": { "what": string; "source": string; "before"?: Record<string, unknown>; "after"?: Record<string, unknown> }
  "AcceptanceEvent": { "id": string; "type": "acceptance.created" | "acceptance.succeeded" | "acceptance.failed" | "acceptance.due_soon"; "timestamp": string; "sequence": string; "referenceAccountId": string; "quiet"?: boolean; "data": { "acceptance"?: Schemas['AcceptanceStatus']; "acceptanceId"?: string; "chargebackId": string; "changes": (Schemas['EventChange'])[] } }
  "AcceptanceStatus": { "id": string; "referenceAccountId": string; "status": "created" | "inProgress" | "failed" | "succeeded"; "acceptedAt": string; "error"?: string }
  "EvidenceSubmissionEvent": { "id": string; "type": "evidence_submission.created" | "evidence_submission.succeeded" | "evidence_submission.failed" | "evidence_submission.due_soon" | "evidence_submission.updated"; "timestamp": string; "sequence": string; "referenceAccountId": string; "quiet"?: boolean; "data": { "evidenceSubmission"?: Schemas['EvidenceSubmissionStatus']; "submitEvidenceId"?: string; "chargebackId": string; "changes": (Schemas['EventChange'])[] } }
  "EvidenceSubmissionStatus": { "submitEvidenceId": string; "fileId": string; "id": string; "referenceAccountId": string; "status": "created" | "inProgress" | "failed" | "succeeded"; "submittedAt": string; "error"?: string; "dropped"?: ({ "what": string; "why": string })[]; "shortened"?: ({ "field": string; "from": number; "to": number })[]; "converted"?: { "from": string; "to": string } }
  "AlertEvent": { "id": string; "type": "alert.created" | "alert.outcome_recorded"; "timestamp": string; "sequence": string; "referenceAccountId": string; "quiet"?: boolean; "data": { "alert"?: Schemas['Alert']; "alertId"?: string } }
  "Alert": { "alertId": string; "providerName"?: "Verifi RDR" | "Verifi CDRN" | "Ethoca"; "providerAlertId": string; "referenceAccountId": string; "integrationId": string; "psp": "tabapay" | "nmi" | "stripe" | "paypal" | "amex" | "braintree" | "shopify_payments" | "amazon_pay" | "adyen" | "other" | "cardpointe" | "checkout" | "omnipay" | "acquiring" | "chase" | "nuvei" | "authorizenet" | "mollie" | "firstdata" | "fiserv" | "elavon" | "bluesnap" | "vantiv" | "dlocal" | "payu" | "worldpay_mai" | "worldpay_iq" | "payroc" | "citi" | "merlink_drs" | "credorax" | "dalenys" | "worldpay_cb911" | "worldpay_accertify" | "discover" | "elavon_payment_insider" | "elavon_connect" | "shift4" | "payplug" | "global_payments" | "square" | "ebanx" | "zen" | "payments_hub" | "ems_data" | "maverick" | "corvia" | "payroc_canada" | "tap" | "sabadell" | "kushki" | "worldpay" | "klarna" | "paysafe" | "airwallex" | "mangopay" | "ecommpay" | "iyzico" | "lighthouse" | "moka" | "worldpay_wdp" | "recoup_sandbox"; "chargebackId"?: string; "currency"?: string; "amount"?: number; "alertDate"?: string; "transactionId"?: string; "arn"?: string; "externalTransactionIdentifier"?: string; "reasonCode"?: string; "reason"?: string; "fraudType"?: string; "cardScheme"?: string; "paymentMethod"?: string; "bin"?: string; "cardLastFourDigits"?: string; "receivedAt": string; "refunded"?: "refunded" | "not refunded" | "not settled"; "outcome"?: Schemas['AlertOutcomeCode']; "comments"?: string; "reportedAt"?: string }
  "AlertOutcomeCode": "100" | "101" | "102" | "130" | "900" | "901" | "902" | "940" | "950" | "951" | "952" | "953" | "954" | "955" | "956" | "957" | "resolved" | "previously_refunded" | "unresolved_dispute" | "other" | "stopped" | "partially_stopped" | "previously_cancelled" | "missed" | "notfound" | "account_suspended" | "in_progress" | "shipper_contacted"
  "IntegrationEvent": { "id": string; "type": "integration.verified" | "integration.failed" | "integration.deactivated" | "integration.first_load_completed"; "timestamp": string; "sequence": string; "referenceAccountId": string; "quiet"?: boolean; "data": { "integration"?: Schemas['Integration']; "integrationId"?: string } }
  "Integration": { "integrationId": string; "integrationName": string; "source": "stripe" | "braintree" | "paypal" | "adyen" | "recoup_sandbox"; "status": "PENDING" | "SUCCESSFUL" | "FAILED" | "INACTIVE"; "statusReason"?: string; "statusChangedAt": string; "goLiveDate"?: string; "lastPolledAt"?: string; "lastNotificationAt"?: string; "quarantined": number; "problem"?: string; "details"?: Schemas['IntegrationDetails'] }
  "IntegrationDetails": { "externalIdentifier": string; "secretType": "APIKEY_ONLY" | "PUBLIC_SECRET_KEY" | "BASIC_AUTH" | "USERNAME_PASSWORD" | "HMAC" | "APIKEY"; "pspAccount"?: string; "notificationUrl": string; "createdAt": string; "secretReplacedAt"?: string; "lastSuccessAt"?: string; "chargebacks": number; "paused": boolean; "pausedBy"?: "client" | "operator"; "deactivation"?: { "type": string; "date": string }; "permissions": ({ "permission": string; "state": "ok" | "missing" | "unverified"; "hint": string })[] }
  "MerchantEvent": { "id": string; "type": "merchant.deactivated"; "timestamp": string; "sequence": string; "referenceAccountId": string; "quiet"?: boolean; "data": { "merchant"?: Schemas['Merchant']; "merchantUuid"?: string } }
  "Merchant": { "merchantName": string; "referenceId": string; "status": "SetupIncomplete" | "Active" | "ScheduledForActivation" | "Inactive" | "IntegrationError" | "ReadyAwaitingGoLiveDate" | "ReadyScheduledGoLiveDate" | "AllIntegrationDown" | "AllIntegrationValidate" | "PartiallyActiveByError" | "PartiallyActiveByValidation"; "merchantUuid": string }
  "DataSubjectRemovalEvent": { "id": string; "type": "data_subject_removal.completed"; "timestamp": string; "sequence": string; "referenceAccountId": string; "quiet"?: boolean; "data": { "removal"?: Schemas['DataSubjectRemoval']; "removalId"?: string } }
  "DataSubjectRemoval": { "removalId": string; "status": string; "erased": Record<string, number> }
  "WebhookEndpointEvent": { "id": string; "type": "webhook_endpoint.disabled"; "timestamp": string; "sequence": string; "referenceAccountId": string; "quiet"?: boolean; "data": { "webhookEndpoint"?: Schemas['ReportedWebhookEndpoint']; "webhookEndpointId"?: string } }
  "ReportedWebhookEndpoint": { "id": string; "url": string; "description"?: string; "events"?: (string)[]; "payload"?: "full" | "thin"; "signature"?: "hmac" | "ed25519"; "publicKey"?: string; "state"?: "enabled" | "failing" | "disabled"; "disabledReason"?: "gone" | "unreachable" | "requested" | "address_erased"; "createdAt"?: string; "lastSuccessAt"?: string; "lastFailure"?: { "at": string; "status"?: number; "kind"?: string }; "pending"?: number }
  "WebhookTestEvent": { "id": string; "type": "webhook.test"; "timestamp": string; "sequence": "0"; "data": { "webhookEndpointId": string } }
  "Error": { "status": number; "message": string; "errorId": string; "error": string; "code": string }
  "SummaryRead": { "status": number; "message": string; "data": Schemas['Summary'] }
  "Summary": { "groups": (Schemas['SummaryGroup'])[]; "dueWeeks": (Schemas['SummaryDueWeek'])[] }
  "SummaryGroup": { "psp"?: string; "currency"?: string; "reasonGroup"?: string; "status"?: string; "pspStatus"?: string; "lifecycleStage"?: string; "month"?: string; "chargebacks": number; "open": number; "won": number; "lost": number; "split": number; "winRate"?: number; "medianDaysToDecision"?: number; "amounts": (Schemas['SummaryAmounts'])[] }
  "SummaryAmounts": { "currency": string; "amount": number; "openAmount": number; "wonAmount": number; "lostAmount": number; "splitAmount": number; "winRate"?: number }
  "SummaryDueWeek": { "week"?: string; "currency": string; "chargebacks": number; "amount": number }
  "RatioRead": { "status": number; "message": string; "data": (Schemas['RatioMonth'])[] }
  "RatioMonth": { "month": string; "transactions": number; "chargebacks": number; "ratio"?: number; "ratioToMonthBefore"?: number }
  "ChargebackList": { "status": number; "message": string; "hasMore": boolean; "data": (Schemas['ListedChargeback'])[]; "nextCursor"?: string }
  "ListedChargeback": (Schemas['Chargeback']) & ({ "scopeReason"?: { "inScope": boolean; "by": "should_fight" | "scope_rule" | "contract"; "version"?: number; "dimension"?: "paymentMethods" | "cardSchemes" | "lifecycleStages" | "reasonGroups" | "reasonCodes" | "chargebackAmount"; "value"?: string }; "dueIn"?: number })
  "ChargebackRead": { "status": number; "message": string; "data": Schemas['ChargebackDetails'] }
  "ChargebackDetails": (Schemas['Chargeback']) & ({ "reasonGroup"?: "fraud" | "authorization" | "processing_error" | "consumer_dispute" | "compliance" | "general"; "actions"?: { "accept": Schemas['PossibleAction']; "submit": (Schemas['PossibleAction']) & (unknown); "decide": (Schemas['PossibleAction']) & (unknown) } })
  "PossibleAction": { "allowed": boolean; "code"?: string; "why"?: string; "consequence": string }
  "CreateResponse": { "status": number; "message": string; "id": string }
  "DataPoints": Record<string, unknown>
  "KnownDataPoints": { "status": number; "message": string; "data": (Schemas['KnownDataPoint'])[] }
  "KnownDataPoint": { "name": string; "source": "client" | "transaction" | "psp"; "value"?: (string) | (number) | (boolean) | ((unknown)[]) | (Record<string, unknown>); "when"?: string }
  "Transaction": { "transactionId": string; "transactionCardLastFourDigits"?: string; "transactionCardAppleLast4Digits"?: string; "transactionCardScheme"?: string; "transactionCardBin"?: string; "transactionCustomerDisplayedTransactionDescription"?: string; "transactionCardFingerprint"?: string; "transactionCreatedDate"?: string; "transactionStatus"?: string; "transactionEarlyFraudWarningFraudType"?: string; "transactionVerificationCustomerPicture"?: string; "transactionArn"?: string; "transactionOrderIpAddress"?: (string) | (string); "transactionOrderDeviceId"?: string; "transactionOrderUserAgent"?: string; "transactionOrderEmail"?: string; "transactionShippingToAddressLine1"?: string; "transactionShippingToAddressLine2"?: string; "transactionShippingToState"?: string; "transactionShippingToZipCode"?: string; "transactionBillingAddressCountry"?: string; "transactionShippingToFullShippingAddress"?: string; "transactionOrderSteamId"?: string; "transactionOrderPhone"?: string; "transactionShippingPhone"?: string; "transactionShippingEmail"?: string; "transactionOrderItemsProductName"?: string; "transactionOrderItemsProductDescription"?: string }
  "Timeline": { "status": number; "message": string; "data": (Schemas['TimelineEvent'])[] }
  "TimelineEvent": { "when": string; "source": string; "by"?: string; "what": string; "before"?: Record<string, unknown>; "after"?: Record<string, unknown> }
  "EventList": { "status": number; "message": string; "hasMore": boolean; "data": (Schemas['Event'])[]; "nextCursor": string }
  "Event": (Schemas['ChargebackEvent']) | (Schemas['AcceptanceEvent']) | (Schemas['EvidenceSubmissionEvent']) | (Schemas['AlertEvent']) | (Schemas['IntegrationEvent']) | (Schemas['MerchantEvent']) | (Schemas['DataSubjectRemovalEvent']) | (Schemas['WebhookEndpointEvent'])
  "EventRead": { "status": number; "message": string; "data": Schemas['Event'] }
  "AssessmentRead": { "status": number; "message": string; "data": Schemas['Assessment'] }
  "Assessment": { "winProbability"?: number; "recommendation"?: "Fight" | "Accept"; "why": string; "reasons": ({ "name": string; "effect": number; "why": string })[]; "missingDataPoints": (string)[]; "compellingEvidence": { "applies": boolean; "eligible": boolean; "why": string; "matched": (string)[]; "transactionIds": (string)[]; "missing": (string)[] }; "scope": { "inScope": boolean; "by": "should_fight" | "scope_rule" | "contract"; "version"?: number; "dimension"?: "paymentMethods" | "cardSchemes" | "lifecycleStages" | "reasonGroups" | "reasonCodes" | "chargebackAmount"; "value"?: string; "why": string }; "deadline": { "state": "open" | "data_window_closed" | "overdue" | "none"; "dueDate"?: string; "dataWindowEnds"?: string; "why": string }; "handling": { "status": "waiting_for_data" | "building_evidence" | "pending_psp_results" | "not_represented"; "why": string } }
  "EvidenceFile": { "fileId": string }
  "EvidenceSubmissionList": { "status": number; "message": string; "data": (Schemas['EvidenceSubmissionStatus'])[] }
  "EvidencePlanRead": { "status": number; "message": string; "data": Schemas['EvidencePlan'] }
  "EvidencePlan": { "submittable": boolean; "code"?: string; "reason"?: string; "requirements"?: Schemas['EvidenceRequirements']; "steps": ({ "do": "upload" | "stage" | "submit"; "fileId"?: string; "field"?: string })[]; "texts": (string)[]; "dropped"?: ({ "what": string; "why": string })[]; "shortened"?: ({ "field": string; "from": number; "to": number })[]; "converted"?: { "from": string; "to": string } }
  "EvidenceRequirements": { "fileTypes": (string)[]; "maxFileBytes": number; "maxTotalBytes": number; "maxFiles": number; "maxPages"?: number; "fileFields": (string)[]; "requiredFields"?: ((string)[])[]; "textFields": Record<string, number>; "maxTextCharacters": number; "dueDate"?: string; "oneShot": boolean }
  "EvidenceDraft": { "packageId": string; "version": number; "state": "current" | "frozen" | "refused"; "builtAt": string; "fileId"?: string; "completeness": number; "requiredMissing": (string)[]; "missing": (string)[]; "play": string; "playbook": { "version": number; "override"?: number }; "texts"?: Record<string, string>; "textsLeftOut": ({ "field": string; "why": string })[]; "statements": ({ "id": string; "kept": boolean; "text"?: string; "why"?: string; "exhibits": (string)[] })[]; "exhibits": ({ "letter": string; "fileId": string; "kind": string; "caption"?: string; "pages"?: number })[]; "filesLeft": ({ "fileId": string; "why": string })[]; "pages"?: number; "bytes"?: number; "warnings": (string)[]; "stale": boolean; "automatic": { "policy": "manual" | "auto"; "at"?: string; "blockedBy": (string)[] } }
  "EvidenceDraftHold": { "automatic": boolean }
  "IntegrationOptions": { "status": number; "message": string; "data": (Schemas['IntegrationOption'])[] }
  "IntegrationOption": { "source": "stripe" | "braintree" | "paypal" | "adyen" | "recoup_sandbox"; "displayName": string; "externalIdentifier": { "title": string; "description": string; "example"?: string }; "secretTypes": ({ "secretType": "APIKEY_ONLY" | "PUBLIC_SECRET_KEY" | "BASIC_AUTH" | "USERNAME_PASSWORD" | "HMAC" | "APIKEY"; "schema": Record<string, unknown>; "notificationFields": (string)[] })[]; "permissions": (string)[]; "webhook"?: { "where": string; "events": (string)[] } }
  "IntegrationCreated": { "integrationId": string }
  "IntegrationCreation": { "externalIdentifier": string; "integrationName": string; "source": "stripe" | "braintree" | "paypal" | "adyen" | "recoup_sandbox"; "secretType": "APIKEY_ONLY" | "PUBLIC_SECRET_KEY" | "BASIC_AUTH" | "USERNAME_PASSWORD" | "HMAC" | "APIKEY"; "secretPayload": Record<string, unknown>; "goLiveDate"?: string | null; "merchantAccountCodes"?: (string)[]; "parentIntegrationId"?: string }
  "IntegrationDeactivation": { "integrationId"?: string; "deactivationType": "postingDate" | "dueDate" | "posting_date" | "due_date"; "deactivationDate": string }
  "IntegrationPoll": { "status": number; "message": string; "id": string; "asked": "poll" | "verification" }
  "Quarantine": { "status": number; "message": string; "hasMore": boolean; "data": (Schemas['QuarantinedObject'])[] }
  "QuarantinedObject": { "reference"?: string; "reason": string; "seen": number; "firstSeenAt": string; "lastSeenAt": string }
  "IntegrationChange": { "integrationName"?: string; "secretPayload"?: Record<string, unknown>; "secretType"?: "APIKEY_ONLY" | "PUBLIC_SECRET_KEY" | "BASIC_AUTH" | "USERNAME_PASSWORD" | "HMAC" | "APIKEY" }
  "ScopeSettings": { "paymentMethods"?: ("ach" | "amazon_pay" | "apple_pay" | "bank_transfer" | "card" | "credit_card" | "debit_card" | "google_pay" | "klarna" | "other" | "paypal" | "prepaid_card" | "sepa_debit")[]; "cardSchemes"?: ("amex" | "cartes_bancaires" | "diners" | "discover" | "elo" | "interac" | "jcb" | "maestro" | "mastercard" | "other" | "unionpay" | "visa")[]; "lifecycleStages"?: ("alert" | "chargeback" | "claim" | "inquiry" | "other" | "second_chargeback" | "third_chargeback")[]; "reasonGroups"?: ("authorization" | "compliance" | "consumer_dispute" | "fraud" | "general" | "processing_error")[]; "reasonCodes"?: (string)[]; "chargebackAmount"?: { "min"?: number; "max"?: number } }
  "ScopeSettingsRead": { "status": number; "message": string; "data": (Schemas['ScopeSettings']) & (unknown) }
  "ScopeOptions": { "paymentMethods": (string)[]; "cardSchemes": (string)[]; "lifecycleStages": (string)[]; "reasonGroups": (string)[]; "reasonCodes": (string)[] }
  "ScopePreviewRead": { "status": number; "message": string; "data": { "leaves": Schemas['ScopePreviewShare']; "returns": (Schemas['ScopePreviewShare']) & (unknown); "untouched": (Schemas['ScopePreviewShare']) & (unknown) } }
  "ScopePreviewShare": { "count": number; "amounts": ({ "currency": string; "amount": string })[]; "reasons": ({ "dimension"?: "paymentMethods" | "cardSchemes" | "lifecycleStages" | "reasonGroups" | "reasonCodes" | "chargebackAmount"; "value"?: string; "reason"?: string; "count": number; "amounts": ({ "currency": string; "amount": string })[] })[]; "examples": (string)[] }
  "SettingsRead": { "status": number; "message": string; "data": { "automaticSubmission": Schemas['AutomaticSubmission']; "ownAutomaticSubmission": Schemas['AutomaticSubmissionSettings']; "represent": boolean; "enrichmentThreshold": number; "dataWindowHours": number } }
  "AutomaticSubmission": { "mode": "manual" | "auto"; "hoursBeforeDue": number; "minCompleteness": number; "minAmount": Record<string, number>; "plays"?: ("fraud_cnp" | "fraud_cp" | "not_received" | "not_described" | "recurring" | "credit" | "cancelled" | "duplicate" | "other_means" | "amount" | "authorization" | "compliance" | "consumer_general" | "general")[] }
  "AutomaticSubmissionSettings": { "mode"?: "manual" | "auto"; "hoursBeforeDue"?: number; "minCompleteness"?: number; "minAmount"?: Record<string, number>; "plays"?: ("fraud_cnp" | "fraud_cp" | "not_received" | "not_described" | "recurring" | "credit" | "cancelled" | "duplicate" | "other_means" | "amount" | "authorization" | "compliance" | "consumer_general" | "general")[] }
  "SettingsChange": { "automaticSubmission": Schemas['AutomaticSubmissionSettings'] }
  "SettingsPreview": { "status": number; "message": string; "data": { "submits": { "count": number; "amounts": ({ "currency": string; "amount": string })[]; "nextAt"?: string }; "blocked": ({ "code": "policy_manual" | "held" | "not_building" | "command_exists" | "client_file" | "no_package" | "package_stale" | "required_missing" | "completeness" | "contradiction" | "recommendation_accept" | "compliance" | "overdue" | "psp_not_answerable" | "integration_unusable" | "answered_elsewhere"; "count": number; "amounts": ({ "currency": string; "amount": string })[] })[]; "complete": boolean } }
  "PlaybookList": { "status": number; "message": string; "data": (Schemas['Playbook'])[] }
  "Playbook": { "play": "fraud_cnp" | "fraud_cp" | "not_received" | "not_described" | "recurring" | "credit" | "cancelled" | "duplicate" | "other_means" | "amount" | "authorization" | "compliance" | "consumer_general" | "general" | "withdrawn" | "refunded"; "overlay": boolean; "version": number; "manualOnly": boolean; "override"?: number; "overriddenAt"?: string; "sentences": ({ "id": string; "text": string; "weight": number; "from": "default" | "account" | "off"; "files": (string)[] })[] }
  "Audit": { "status": number; "message": string; "hasMore": boolean; "nextCursor"?: string; "data": (Schemas['AuditEntry'])[] }
  "AuditEntry": { "when": string; "by": "client" | "operator"; "credentialId"?: string; "credentialName"?: string; "what": string; "subject": "chargeback" | "integration" | "webhook_endpoint" | "merchant"; "subjectId": string; "before"?: Record<string, unknown>; "after"?: Record<string, unknown> }
  "ShouldFight": { "shouldFight": boolean }
  "MerchantList": { "status": number; "message": string; "hasMore": boolean; "data": (Schemas['Merchant'])[] }
  "MerchantCreated": { "merchantUuid": string }
  "MerchantCreation": { "merchantName": string; "websiteUrl": string; "email": string; "firstName": string; "lastName": string; "referenceId"?: string; "mcc"?: string; "mccDescription"?: string; "activationDate"?: string }
  "MerchantDeactivation": { "deactivationType": "postingDate" | "dueDate" | "posting_date" | "due_date"; "deactivationDate": string }
  "MerchantNotFound": { "status": number; "message": string; "errorId": string; "error": string; "code": string; "statusCode": number }
  "MeRead": { "status": number; "message": string; "data": Schemas['Me'] }
  "Me": { "credentialId": string; "name": string; "scope": "account" | "group" | "merchant"; "role": "read" | "work" | "manage"; "environment": "sandbox" | "production"; "expiresAt": string; "merchants": ({ "merchantUuid": string; "referenceId": string; "merchantName": string })[]; "hasMore": boolean }
  "AlertOutcome": { "alertId": string; "providerName": "Verifi RDR" | "Verifi CDRN" | "Ethoca"; "refunded"?: "refunded" | "not refunded" | "not settled"; "outcome"?: Schemas['AlertOutcomeCode']; "comments"?: string }
  "AlertList": { "status": number; "message": string; "hasMore": boolean; "data": (Schemas['Alert'])[] }
  "AlertRead": { "status": number; "message": string; "data": (Schemas['Alert']) & (unknown) }
  "RawData": { "dataSource": "tabapay" | "nmi" | "stripe" | "paypal" | "amex" | "braintree" | "shopify_payments" | "amazon_pay" | "adyen" | "other" | "cardpointe" | "checkout" | "omnipay" | "acquiring" | "chase" | "nuvei" | "authorizenet" | "mollie" | "firstdata" | "fiserv" | "elavon" | "bluesnap" | "vantiv" | "dlocal" | "payu" | "worldpay_mai" | "worldpay_iq" | "payroc" | "citi" | "merlink_drs" | "credorax" | "dalenys" | "worldpay_cb911" | "worldpay_accertify" | "discover" | "elavon_payment_insider" | "elavon_connect" | "shift4" | "payplug" | "global_payments" | "square" | "ebanx" | "zen" | "payments_hub" | "ems_data" | "maverick" | "corvia" | "payroc_canada" | "tap" | "sabadell" | "kushki" | "worldpay" | "klarna" | "paysafe" | "airwallex" | "mangopay" | "ecommpay" | "iyzico" | "lighthouse" | "moka" | "worldpay_wdp" | "recoup_sandbox"; "dataSourceVersion": string; "dataType": "chargebacks" | "transactions" | "refunds" | "early_fraud_warnings" | "card_checks" | "payment_actions" | "issuer_notes"; "integrationId": string; "requestTimeStamp": string; "rawData": Record<string, unknown> }
  "IngestionRead": { "status": number; "message": string; "data": Schemas['Ingestion'] }
  "Ingestion": { "id": string; "status": "created" | "waiting" | "applied" | "ignored" | "failed"; "reason"?: string; "dataType": string; "rawDataId": string; "createdAt": string; "processedAt"?: string }
  "FileUploaded": { "status": number; "message": string; "id": string; "metadata"?: string; "checksum": string }
  "FileRead": { "status": number; "message": string; "data": Schemas['FileDetails'] }
  "FileDetails": { "id": string; "origin": "uploaded" | "built"; "type": "application/pdf" | "image/png" | "image/jpeg"; "bytes": number; "checksum": string; "createdAt": string; "name"?: string; "metadata"?: string }
  "RemovalRequested": { "status": number; "message": string }
  "DataSubject": { "email": string; "firstName": string; "lastName": string }
  "WebhookEndpointCreated": { "status": number; "message": string; "id": string; "secret": string; "publicKey"?: string }
  "WebhookEndpointCreation": { "url": string; "events": ("*" | "chargeback.*" | "acceptance.*" | "evidence_submission.*" | "alert.*" | "integration.*" | "merchant.*" | "data_subject_removal.*" | "webhook_endpoint.*" | "chargeback.created" | "chargeback.won" | "chargeback.lost" | "chargeback.split" | "chargeback.reopened" | "chargeback.due_soon" | "chargeback.updated" | "acceptance.created" | "acceptance.succeeded" | "acceptance.failed" | "acceptance.due_soon" | "evidence_submission.created" | "evidence_submission.succeeded" | "evidence_submission.failed" | "evidence_submission.due_soon" | "evidence_submission.updated" | "alert.created" | "alert.outcome_recorded" | "integration.verified" | "integration.failed" | "integration.deactivated" | "integration.first_load_completed" | "merchant.deactivated" | "data_subject_removal.completed" | "webhook_endpoint.disabled")[]; "description"?: string; "payload"?: "full" | "thin"; "signature"?: "hmac" | "ed25519" }
  "WebhookEndpointList": { "status": number; "message": string; "data": (Schemas['WebhookEndpoint'])[] }
  "WebhookEndpoint": { "id": string; "url": string; "description"?: string; "events": (string)[]; "payload": "full" | "thin"; "signature": "hmac" | "ed25519"; "publicKey"?: string; "state": "enabled" | "failing" | "disabled"; "disabledReason"?: "gone" | "unreachable" | "requested" | "address_erased"; "createdAt": string; "lastSuccessAt"?: string; "lastFailure"?: { "at": string; "status"?: number; "kind"?: string }; "pending": number }
  "WebhookEndpointRead": { "status": number; "message": string; "data": (Schemas['WebhookEndpoint']) & (unknown) }
  "WebhookEndpointChange": { "url"?: string; "events"?: ("*" | "chargeback.*" | "acceptance.*" | "evidence_submission.*" | "alert.*" | "integration.*" | "merchant.*" | "data_subject_removal.*" | "webhook_endpoint.*" | "chargeback.created" | "chargeback.won" | "chargeback.lost" | "chargeback.split" | "chargeback.reopened" | "chargeback.due_soon" | "chargeback.updated" | "acceptance.created" | "acceptance.succeeded" | "acceptance.failed" | "acceptance.due_soon" | "evidence_submission.created" | "evidence_submission.succeeded" | "evidence_submission.failed" | "evidence_submission.due_soon" | "evidence_submission.updated" | "alert.created" | "alert.outcome_recorded" | "integration.verified" | "integration.failed" | "integration.deactivated" | "integration.first_load_completed" | "merchant.deactivated" | "data_subject_removal.completed" | "webhook_endpoint.disabled")[]; "description"?: string | null; "payload"?: "full" | "thin"; "enabled"?: boolean }
  "WebhookSecretRotated": { "status": number; "message": string; "secret": string; "publicKey"?: string }
  "WebhookSecretRotation": { "expireOldAfterSeconds"?: number }
  "WebhookTest": { "status": number; "message": string; "deliveryId": string; "eventId": string }
  "WebhookDeliveryList": { "status": number; "message": string; "hasMore": boolean; "nextCursor"?: string; "data": (Schemas['WebhookDelivery'])[] }
  "WebhookDelivery": { "deliveryId": string; "eventId": string; "type": string; "state": "pending" | "delivered" | "failed" | "cancelled"; "replayed": boolean; "createdAt": string; "finishedAt"?: string; "nextAttemptAt"?: string; "attempts": ({ "at": string; "status"?: number; "kind"?: string; "durationMs": number })[] }
  "WebhookReplayed": { "status": number; "message": string; "count": number }
  "WebhookReplay": { "since"?: string; "failedSince"?: string; "deliveryIds"?: (string)[]; "types"?: ("*" | "chargeback.*" | "acceptance.*" | "evidence_submission.*" | "alert.*" | "integration.*" | "merchant.*" | "data_subject_removal.*" | "webhook_endpoint.*" | "chargeback.created" | "chargeback.won" | "chargeback.lost" | "chargeback.split" | "chargeback.reopened" | "chargeback.due_soon" | "chargeback.updated" | "acceptance.created" | "acceptance.succeeded" | "acceptance.failed" | "acceptance.due_soon" | "evidence_submission.created" | "evidence_submission.succeeded" | "evidence_submission.failed" | "evidence_submission.due_soon" | "evidence_submission.updated" | "alert.created" | "alert.outcome_recorded" | "integration.verified" | "integration.failed" | "integration.deactivated" | "integration.first_load_completed" | "merchant.deactivated" | "data_subject_removal.completed" | "webhook_endpoint.disabled")[] }
}
export interface Operations {
  exportChargebacks: { params: {  }; query: { "startDate"?: string; "endDate"?: string; "dueAfter"?: string; "dueBefore"?: string; "chargebackId"?: string; "psp"?: ("tabapay" | "nmi" | "stripe" | "paypal" | "amex" | "braintree" | "shopify_payments" | "amazon_pay" | "adyen" | "other" | "cardpointe" | "checkout" | "omnipay" | "acquiring" | "chase" | "nuvei" | "authorizenet" | "mollie" | "firstdata" | "fiserv" | "elavon" | "bluesnap" | "vantiv" | "dlocal" | "payu" | "worldpay_mai" | "worldpay_iq" | "payroc" | "citi" | "merlink_drs" | "credorax" | "dalenys" | "worldpay_cb911" | "worldpay_accertify" | "discover" | "elavon_payment_insider" | "elavon_connect" | "shift4" | "payplug" | "global_payments" | "square" | "ebanx" | "zen" | "payments_hub" | "ems_data" | "maverick" | "corvia" | "payroc_canada" | "tap" | "sabadell" | "kushki" | "worldpay" | "klarna" | "paysafe" | "airwallex" | "mangopay" | "ecommpay" | "iyzico" | "lighthouse" | "moka" | "worldpay_wdp" | "recoup_sandbox")[]; "pspStatus"?: ("needs_response" | "under_review" | "won" | "lost" | "not_applicable" | "evidence_not_submitted_by_psp" | "split" | "unknown")[]; "status"?: ("waiting_for_data" | "building_evidence" | "pending_psp_results" | "not_represented")[]; "lifecycleStage"?: ("alert" | "inquiry" | "claim" | "chargeback" | "second_chargeback" | "third_chargeback" | "other")[]; "reasonGroup"?: ("fraud" | "authorization" | "processing_error" | "consumer_dispute" | "compliance" | "general")[]; "currency"?: (string)[]; "minAmount"?: number; "maxAmount"?: number; "inScope"?: boolean; "recommendation"?: "Fight" | "Accept"; "search"?: string; "minEnrichmentScore"?: number; "maxEnrichmentScore"?: number; "pspStatusChangeStartDate"?: string; "pspStatusChangeEndDate"?: string; "sort"?: "-postingDate" | "postingDate" | "dueDate" | "-dueDate" | "amount" | "-amount"; "format"?: "csv" | "ndjson" }; body: undefined; result: unknown }
  readSummary: { params: {  }; query: { "by"?: ("psp" | "currency" | "reasonGroup" | "status" | "pspStatus" | "lifecycleStage" | "month")[]; "psp"?: ("tabapay" | "nmi" | "stripe" | "paypal" | "amex" | "braintree" | "shopify_payments" | "amazon_pay" | "adyen" | "other" | "cardpointe" | "checkout" | "omnipay" | "acquiring" | "chase" | "nuvei" | "authorizenet" | "mollie" | "firstdata" | "fiserv" | "elavon" | "bluesnap" | "vantiv" | "dlocal" | "payu" | "worldpay_mai" | "worldpay_iq" | "payroc" | "citi" | "merlink_drs" | "credorax" | "dalenys" | "worldpay_cb911" | "worldpay_accertify" | "discover" | "elavon_payment_insider" | "elavon_connect" | "shift4" | "payplug" | "global_payments" | "square" | "ebanx" | "zen" | "payments_hub" | "ems_data" | "maverick" | "corvia" | "payroc_canada" | "tap" | "sabadell" | "kushki" | "worldpay" | "klarna" | "paysafe" | "airwallex" | "mangopay" | "ecommpay" | "iyzico" | "lighthouse" | "moka" | "worldpay_wdp" | "recoup_sandbox")[]; "pspStatus"?: ("needs_response" | "under_review" | "won" | "lost" | "not_applicable" | "evidence_not_submitted_by_psp" | "split" | "unknown")[]; "status"?: ("waiting_for_data" | "building_evidence" | "pending_psp_results" | "not_represented")[]; "lifecycleStage"?: ("alert" | "inquiry" | "claim" | "chargeback" | "second_chargeback" | "third_chargeback" | "other")[]; "reasonGroup"?: ("fraud" | "authorization" | "processing_error" | "consumer_dispute" | "compliance" | "general")[]; "currency"?: (string)[]; "startMonth"?: string; "endMonth"?: string }; body: undefined; result: Schemas['SummaryRead'] }
  readChargebackRatio: { params: {  }; query: { "startMonth"?: string; "endMonth"?: string }; body: undefined; result: Schemas['RatioRead'] }
  listChargebacks: { params: {  }; query: { "limit"?: number; "page"?: number; "startDate"?: string; "endDate"?: string; "dueAfter"?: string; "dueBefore"?: string; "chargebackId"?: string; "psp"?: ("tabapay" | "nmi" | "stripe" | "paypal" | "amex" | "braintree" | "shopify_payments" | "amazon_pay" | "adyen" | "other" | "cardpointe" | "checkout" | "omnipay" | "acquiring" | "chase" | "nuvei" | "authorizenet" | "mollie" | "firstdata" | "fiserv" | "elavon" | "bluesnap" | "vantiv" | "dlocal" | "payu" | "worldpay_mai" | "worldpay_iq" | "payroc" | "citi" | "merlink_drs" | "credorax" | "dalenys" | "worldpay_cb911" | "worldpay_accertify" | "discover" | "elavon_payment_insider" | "elavon_connect" | "shift4" | "payplug" | "global_payments" | "square" | "ebanx" | "zen" | "payments_hub" | "ems_data" | "maverick" | "corvia" | "payroc_canada" | "tap" | "sabadell" | "kushki" | "worldpay" | "klarna" | "paysafe" | "airwallex" | "mangopay" | "ecommpay" | "iyzico" | "lighthouse" | "moka" | "worldpay_wdp" | "recoup_sandbox")[]; "pspStatus"?: ("needs_response" | "under_review" | "won" | "lost" | "not_applicable" | "evidence_not_submitted_by_psp" | "split" | "unknown")[]; "status"?: ("waiting_for_data" | "building_evidence" | "pending_psp_results" | "not_represented")[]; "lifecycleStage"?: ("alert" | "inquiry" | "claim" | "chargeback" | "second_chargeback" | "third_chargeback" | "other")[]; "reasonGroup"?: ("fraud" | "authorization" | "processing_error" | "consumer_dispute" | "compliance" | "general")[]; "currency"?: (string)[]; "minAmount"?: number; "maxAmount"?: number; "inScope"?: boolean; "recommendation"?: "Fight" | "Accept"; "search"?: string; "minEnrichmentScore"?: number; "maxEnrichmentScore"?: number; "pspStatusChangeStartDate"?: string; "pspStatusChangeEndDate"?: string; "sort"?: "-postingDate" | "postingDate" | "dueDate" | "-dueDate" | "amount" | "-amount"; "expand"?: ("scopeReason" | "dueIn")[]; "cursor"?: string }; body: undefined; result: Schemas['ChargebackList'] }
  readChargeback: { params: { "id": string }; query: { "expand"?: string }; body: undefined; result: Schemas['ChargebackRead'] }
  updateChargeback: { params: { "id": string }; query: {  }; body: Schemas['DataPoints']; result: Schemas['CreateResponse'] }
  readDataPoints: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['KnownDataPoints'] }
  upsertTransaction: { params: {  }; query: {  }; body: Schemas['Transaction']; result: Schemas['CreateResponse'] }
  readTimeline: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['Timeline'] }
  listEvents: { params: {  }; query: { "after"?: string; "types"?: string; "limit"?: number; "wait"?: number }; body: undefined; result: Schemas['EventList'] }
  readEvent: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['EventRead'] }
  readAssessment: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['AssessmentRead'] }
  acceptChargeback: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['CreateResponse'] }
  readAcceptance: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['AcceptanceStatus'] }
  submitEvidence: { params: { "id": string }; query: {  }; body: Schemas['EvidenceFile']; result: Schemas['CreateResponse'] }
  listEvidenceSubmissions: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['EvidenceSubmissionList'] }
  readEvidenceSubmission: { params: { "id": string; "submitEvidenceId": string }; query: {  }; body: undefined; result: Schemas['EvidenceSubmissionStatus'] }
  planEvidence: { params: { "id": string }; query: {  }; body: Schemas['EvidenceFile']; result: Schemas['EvidencePlanRead'] }
  readEvidenceDraft: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['EvidenceDraft'] }
  holdEvidenceDraft: { params: { "id": string }; query: {  }; body: Schemas['EvidenceDraftHold']; result: Schemas['CreateResponse'] }
  listIntegrationOptions: { params: {  }; query: {  }; body: undefined; result: Schemas['IntegrationOptions'] }
  listIntegrations: { params: {  }; query: { "limit"?: number; "page"?: number; "integrationId"?: string; "startDate"?: string; "endDate"?: string; "expand"?: "details" }; body: undefined; result: (Schemas['Integration'])[] }
  createIntegration: { params: {  }; query: {  }; body: Schemas['IntegrationCreation']; result: Schemas['IntegrationCreated'] }
  readIntegration: { params: { "id": string }; query: { "expand"?: "details" }; body: undefined; result: Schemas['Integration'] }
  deactivateIntegration: { params: { "id": string }; query: {  }; body: Schemas['IntegrationDeactivation']; result: unknown }
  updateIntegration: { params: { "id": string }; query: {  }; body: Schemas['IntegrationChange']; result: Schemas['Integration'] }
  pollIntegration: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['IntegrationPoll'] }
  pauseIntegration: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['CreateResponse'] }
  resumeIntegration: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['CreateResponse'] }
  listQuarantine: { params: { "id": string }; query: { "limit"?: number; "page"?: number }; body: undefined; result: Schemas['Quarantine'] }
  replaceScopeSettings: { params: { "id": string }; query: {  }; body: Schemas['ScopeSettings']; result: Schemas['CreateResponse'] }
  readScopeSettings: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['ScopeSettingsRead'] }
  listScopeOptions: { params: {  }; query: {  }; body: undefined; result: { "status": number; "message": string; "data": Schemas['ScopeOptions'] } }
  previewScopeSettings: { params: { "id": string }; query: {  }; body: Schemas['ScopeSettings']; result: Schemas['ScopePreviewRead'] }
  readSettings: { params: {  }; query: {  }; body: undefined; result: Schemas['SettingsRead'] }
  updateSettings: { params: {  }; query: {  }; body: Schemas['SettingsChange']; result: Schemas['SettingsRead'] }
  previewSettings: { params: {  }; query: {  }; body: Schemas['SettingsChange']; result: Schemas['SettingsPreview'] }
  listPlaybooks: { params: {  }; query: {  }; body: undefined; result: Schemas['PlaybookList'] }
  listAudit: { params: {  }; query: { "limit"?: number; "since"?: string; "credential"?: string; "subject"?: "chargeback" | "integration" | "webhook_endpoint" | "merchant"; "cursor"?: string }; body: undefined; result: Schemas['Audit'] }
  decideShouldFight: { params: { "id": string }; query: {  }; body: Schemas['ShouldFight']; result: Schemas['CreateResponse'] }
  listMerchants: { params: {  }; query: { "limit"?: number; "page"?: number; "merchantUuid"?: string; "startDate"?: string; "endDate"?: string }; body: undefined; result: Schemas['MerchantList'] }
  createMerchant: { params: {  }; query: {  }; body: Schemas['MerchantCreation']; result: Schemas['MerchantCreated'] }
  deactivateMerchant: { params: {  }; query: {  }; body: Schemas['MerchantDeactivation']; result: unknown }
  readMerchant: { params: { "merchantUuid": string }; query: {  }; body: undefined; result: Schemas['Merchant'] }
  readMe: { params: {  }; query: {  }; body: undefined; result: Schemas['MeRead'] }
  createAlertOutcome: { params: {  }; query: {  }; body: Schemas['AlertOutcome']; result: Schemas['CreateResponse'] }
  listAlerts: { params: {  }; query: { "limit"?: number; "page"?: number }; body: undefined; result: Schemas['AlertList'] }
  readAlert: { params: { "alertId": string }; query: {  }; body: undefined; result: Schemas['AlertRead'] }
  uploadRawData: { params: {  }; query: {  }; body: Schemas['RawData']; result: Schemas['CreateResponse'] }
  readRawDataIngestion: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['IngestionRead'] }
  uploadFile: { params: {  }; query: {  }; body: undefined; result: Schemas['FileUploaded'] }
  deleteFile: { params: { "id": string }; query: {  }; body: undefined; result: unknown }
  readFile: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['FileRead'] }
  readFileContent: { params: { "id": string }; query: {  }; body: undefined; result: unknown }
  removeDataSubject: { params: {  }; query: {  }; body: Schemas['DataSubject']; result: Schemas['RemovalRequested'] }
  createWebhookEndpoint: { params: {  }; query: {  }; body: Schemas['WebhookEndpointCreation']; result: Schemas['WebhookEndpointCreated'] }
  listWebhookEndpoints: { params: {  }; query: {  }; body: undefined; result: Schemas['WebhookEndpointList'] }
  readWebhookEndpoint: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['WebhookEndpointRead'] }
  updateWebhookEndpoint: { params: { "id": string }; query: {  }; body: Schemas['WebhookEndpointChange']; result: Schemas['WebhookEndpointRead'] }
  deleteWebhookEndpoint: { params: { "id": string }; query: {  }; body: undefined; result: unknown }
  rotateWebhookSecret: { params: { "id": string }; query: {  }; body: Schemas['WebhookSecretRotation']; result: Schemas['WebhookSecretRotated'] }
  testWebhookEndpoint: { params: { "id": string }; query: {  }; body: undefined; result: Schemas['WebhookTest'] }
  listWebhookDeliveries: { params: { "id": string }; query: { "limit"?: number; "state"?: "pending" | "delivered" | "failed" | "cancelled"; "cursor"?: string }; body: undefined; result: Schemas['WebhookDeliveryList'] }
  replayWebhooks: { params: { "id": string }; query: {  }; body: Schemas['WebhookReplay']; result: Schemas['WebhookReplayed'] }
  receiveNotification: { params: { "integrationId": string }; query: {  }; body: Record<string, unknown>; result: unknown }
  answerChallenge: { params: { "integrationId": string }; query: { "bt_challenge": string }; body: undefined; result: unknown }
}
export const ROUTES = {
  exportChargebacks: ['GET', '/chargebacks/export'],
  readSummary: ['GET', '/analytics/summary'],
  readChargebackRatio: ['GET', '/analytics/ratio'],
  listChargebacks: ['GET', '/chargebacks'],
  readChargeback: ['GET', '/chargebacks/{id}'],
  updateChargeback: ['PATCH', '/chargebacks/{id}'],
  readDataPoints: ['GET', '/chargebacks/{id}/data-points'],
  upsertTransaction: ['POST', '/transactions'],
  readTimeline: ['GET', '/chargebacks/{id}/timeline'],
  listEvents: ['GET', '/events'],
  readEvent: ['GET', '/events/{id}'],
  readAssessment: ['GET', '/chargebacks/{id}/assessment'],
  acceptChargeback: ['POST', '/chargebacks/{id}/accept'],
  readAcceptance: ['GET', '/chargebacks/{id}/accept'],
  submitEvidence: ['POST', '/chargebacks/{id}/evidence/submit'],
  listEvidenceSubmissions: ['GET', '/chargebacks/{id}/evidence/submit'],
  readEvidenceSubmission: ['GET', '/chargebacks/{id}/evidence/submit/{submitEvidenceId}'],
  planEvidence: ['POST', '/chargebacks/{id}/evidence/plan'],
  readEvidenceDraft: ['GET', '/chargebacks/{id}/evidence/draft'],
  holdEvidenceDraft: ['PATCH', '/chargebacks/{id}/evidence/draft'],
  listIntegrationOptions: ['GET', '/integrations/options'],
  listIntegrations: ['GET', '/integrations'],
  createIntegration: ['POST', '/integrations'],
  readIntegration: ['GET', '/integrations/{id}'],
  deactivateIntegration: ['DELETE', '/integrations/{id}'],
  updateIntegration: ['PATCH', '/integrations/{id}'],
  pollIntegration: ['POST', '/integrations/{id}/poll'],
  pauseIntegration: ['POST', '/integrations/{id}/pause'],
  resumeIntegration: ['POST', '/integrations/{id}/resume'],
  listQuarantine: ['GET', '/integrations/{id}/quarantine'],
  replaceScopeSettings: ['PUT', '/integrations/{id}/scope-settings'],
  readScopeSettings: ['GET', '/integrations/{id}/scope-settings'],
  listScopeOptions: ['GET', '/scope-settings/options'],
  previewScopeSettings: ['POST', '/integrations/{id}/scope-settings/preview'],
  readSettings: ['GET', '/settings'],
  updateSettings: ['PATCH', '/settings'],
  previewSettings: ['POST', '/settings/preview'],
  listPlaybooks: ['GET', '/playbooks'],
  listAudit: ['GET', '/audit'],
  decideShouldFight: ['PATCH', '/chargebacks/{id}/should-fight'],
  listMerchants: ['GET', '/merchants'],
  createMerchant: ['POST', '/merchants'],
  deactivateMerchant: ['DELETE', '/merchants'],
  readMerchant: ['GET', '/merchants/{merchantUuid}'],
  readMe: ['GET', '/me'],
  createAlertOutcome: ['POST', '/pre-chargeback-alerts/alerts/outcome'],
  listAlerts: ['GET', '/pre-chargeback-alerts/alerts'],
  readAlert: ['GET', '/pre-chargeback-alerts/alerts/{alertId}'],
  uploadRawData: ['POST', '/sandbox/raw-data'],
  readRawDataIngestion: ['GET', '/sandbox/raw-data/{id}'],
  uploadFile: ['POST', '/files'],
  deleteFile: ['DELETE', '/files/{id}'],
  readFile: ['GET', '/files/{id}'],
  readFileContent: ['GET', '/files/{id}/content'],
  removeDataSubject: ['POST', '/data-subjects/removal'],
  createWebhookEndpoint: ['POST', '/webhook-endpoints'],
  listWebhookEndpoints: ['GET', '/webhook-endpoints'],
  readWebhookEndpoint: ['GET', '/webhook-endpoints/{id}'],
  updateWebhookEndpoint: ['PATCH', '/webhook-endpoints/{id}'],
  deleteWebhookEndpoint: ['DELETE', '/webhook-endpoints/{id}'],
  rotateWebhookSecret: ['POST', '/webhook-endpoints/{id}/rotate-secret'],
  testWebhookEndpoint: ['POST', '/webhook-endpoints/{id}/test'],
  listWebhookDeliveries: ['GET', '/webhook-endpoints/{id}/deliveries'],
  replayWebhooks: ['POST', '/webhook-endpoints/{id}/replay'],
  receiveNotification: ['POST', '/notifications/{integrationId}'],
  answerChallenge: ['GET', '/notifications/{integrationId}'],
} as const satisfies Record<keyof Operations, readonly [method: string, path: string]>
